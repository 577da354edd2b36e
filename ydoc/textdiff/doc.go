// Package textdiff compares texts in as few and as small changes as make sense to a person, and merges the changes of
// one author into another's concurrent version. So an agent's new source can reach a cell without moving the caret of
// a person typing there.
//
// [Diff] first finds the unchanged lines, then the words inside changed stretches of lines, then strips the common
// beginning and end of each changed stretch. An edit with several possible places, such as a line added among equal
// lines, goes to the beginning of a line, or else of a word. An edit never splits a code point, a surrogate pair, or
// a character from its combining marks, joiners or modifiers. Time is bounded by the lengths of the texts, not by
// their differences: a text with too many lines, or a stretch with too many words, gets a coarser result, not a later
// one. The result does not depend on the clock or on map order; equal texts give equal edits.
//
// Positions are in UTF-16 code units, as in Yjs. Texts must be valid UTF-8; each invalid run of bytes counts as
// U+FFFD.
//
// Concurrency: all functions are pure and safe for concurrent use.
package textdiff
