package tool

import (
	"time"

	"github.com/nbduet/nbduet/session/words"
)

// ShortestMarked is [words.ShortestMarked].
//
//go:fix inline
const ShortestMarked = words.ShortestMarked

// Size is [words.Size].
//
//go:fix inline
func Size(s string) int { return words.Size(s) }

// Cut is [words.Cut].
//
//go:fix inline
func Cut(s string, limit int) (string, bool) { return words.Cut(s, limit) }

// Marker is [words.Marker].
//
//go:fix inline
func Marker(missing int) string { return words.Marker(missing) }

// Marked is [words.Marked].
//
//go:fix inline
func Marked(s string) bool { return words.Marked(s) }

// Before is [words.Before].
//
//go:fix inline
func Before(runes []rune, i int) int { return words.Before(runes, i) }

// Thousands is [words.Thousands].
//
//go:fix inline
func Thousands(n int) string { return words.Thousands(n) }

// Plural is [words.Plural].
//
//go:fix inline
func Plural(n int, noun string) string { return words.Plural(n, noun) }

// Kilobytes is [words.Kilobytes].
//
//go:fix inline
func Kilobytes(n int) string { return words.Kilobytes(n) }

// Plain is [words.Plain].
//
//go:fix inline
func Plain(s string) string { return words.Plain(s) }

// Lines is [words.Lines].
//
//go:fix inline
func Lines(s string) string { return words.Lines(s) }

// Quoted is [words.Quoted].
//
//go:fix inline
func Quoted(s string) string { return words.Quoted(s) }

// QuotedList is [words.QuotedList].
//
//go:fix inline
func QuotedList[T any](values []T) string { return words.QuotedList(values) }

// MarkedWhy is why a text that is [words.Marked] is refused.
const MarkedWhy = "holds the mark of a cut text (\"… [N characters left out] …\"), so it is not the whole source: read the cell with a larger maxCellData"

// Sentences joins what there is of two notes.
func Sentences(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// Stamp writes a time as the tools do: ISO 8601, UTC, "" for none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
