// Package tokens counts what texts cost a model, in tokens of the encoding o200k, and what a notebook file itself says.
//
// What a notebook says is the yardstick of an answer that shows it, whatever the answer's form: the sources, and of the
// outputs what can be read. Structure, ids, pictures and the forms of an output that a reader needs only one of are not
// part of it.
//
// Concurrency: the functions may be called by any number of goroutines at once.
package tokens
