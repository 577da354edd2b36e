// Package textdiff says how one text becomes another in as few and as small changes as make sense to a person, and
// carries the changes of one author over onto what another has written meanwhile. It is what lets an agent's new source
// reach a cell without moving the caret of somebody who types there.
//
// [Diff] first finds the lines that stayed, then the words inside changed stretches of lines, then strips what the
// beginnings and ends of each changed stretch have in common. An edit that could stand at several places, such as a
// line added among equal lines, is put where a line begins, or else where a word does. An edit never cuts a code point,
// a surrogate pair, nor a character from its combining marks, joiners or modifiers. Time is bounded by the lengths of
// the texts, not by how different they are: where a text has more lines than are worth comparing, or a stretch more
// words, the result is coarser, never late. Nothing depends on the clock or on map order; equal texts give equal edits.
//
// Positions are in UTF-16 code units, which is what Yjs counts. Texts must be valid UTF-8; each run of bytes that is
// not counts as U+FFFD.
//
// Concurrency: pure functions on strings, safe from any goroutine.
package textdiff
