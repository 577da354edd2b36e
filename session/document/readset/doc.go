// Package readset knows what each client was shown of a document, and what it may therefore write.
//
// A [Reader] is one client before one document. It records what the client is shown: sources and texts with their
// revisions, parts of texts, the order of cells. What the client writes counts as a change from that, and is merged with
// what people have typed since: see [Reader.Rewrite], [Reader.RewriteText] and [Reader.Overwrite].
//
// A client cannot destroy content that it has not been shown. unread.go enforces this for all tools, and knowledge.go
// for parts of texts. A refusal shows the content if it is short; the same call again is refused again.
//
// The list of cells is recorded, too: an index means the cell that stood there when the client was last shown the
// notebook, see [Reader.Listed].
//
// # Concurrency
//
// Everything is safe for concurrent use, and nothing here has a goroutine. A [Memory] lasts as long as the program, and
// [Showings] as long as one replica: a document that joins its room afresh begins new ones.
package readset
