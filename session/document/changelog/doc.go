// Package changelog records the changes of an open notebook, their time and their authors.
//
// A [Log] receives every edit and update from the replica, and makes entries of them: a cell was added, deleted, moved,
// given another type, run, cleared, or its text was changed. Texts are kept as the replaced spans, so that an earlier text
// of a cell is computed back from the current one. Continuous changes by one author in a cell, such as a burst of keys, are
// one entry.
//
// # Revisions
//
// The changes since a revision are known only if no entry spans it. So each revision that is answered to a client is sealed,
// see [Log.Seal]: earlier entries no longer grow. Revisions that the notebook did not have, and those before the oldest kept
// entry, are not known.
//
// # Bounds
//
// The oldest entries are dropped if there are too many, or their texts are too large. A change whose text alone is too large
// is kept without it.
//
// # Concurrency
//
// Everything is safe for concurrent use, and the package starts no goroutines. A log receives changes with its replica
// locked, and must not call the replica then.
package changelog
