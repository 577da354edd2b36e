// Package tokens counts the tokens (o200k) of texts and of a notebook file's own content.
//
// A notebook's content is the measure for an answer that shows it, in any form: the sources, and the readable part of
// the outputs. Structure, ids, pictures and redundant forms of an output are not part of it.
//
// Concurrency: the functions may be called by any number of goroutines at once.
package tokens
