// Package changelog keeps what was changed in an open notebook, when, and by whom.
//
// A [Log] is told by the replica of every edit and update, and makes entries of it: a cell was added, deleted, moved,
// given another type, run, cleared, or its text was changed. Texts are kept as the spans that were replaced, so that what a
// cell was at an earlier revision is found by going back from what it is now. What one author does in one go in a cell, such
// as a burst of keys, is one entry.
//
// # Revisions
//
// What changed can be told from a revision on only if no entry goes across it. So each revision that is answered to a
// client is sealed, see [Log.Seal]: entries from before it do not grow any more. Revisions that the notebook did not have,
// and those from before the oldest entry that is kept, are not known.
//
// # Bounds
//
// The oldest entries go where there are too many, or their texts are too large. A change whose text alone is too large is
// kept without it.
//
// # Concurrency
//
// Everything is safe for concurrent use, and nothing here has a goroutine. A log is told of changes with its replica locked,
// and so calls nothing of the replica.
package changelog
