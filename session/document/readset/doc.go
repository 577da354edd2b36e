// Package readset records what each client was shown of a document, and decides what it may therefore write.
//
// A [Reader] is one client of one document. It records what the client is shown: sources and texts with their revisions,
// parts of texts, and the order of cells. A write of the client counts as a change from that, and is merged with what people
// have typed since: see [Reader.Rewrite], [Reader.RewriteText] and [Reader.Overwrite].
//
// A client cannot destroy content that it has not been shown. unread.go enforces this for all tools, and for
// parts of texts. A refusal shows the content if it is short; the same call again is refused again.
//
// The list of cells is recorded, too: an index means the cell at that index when the client was last shown the notebook, see
// [Reader.Listed].
//
// # Concurrency
//
// Everything is safe for concurrent use, and the package starts no goroutines. A [Memory] outlives the documents.
package readset
