package tool

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
)

// Whole returns an error if a new text was copied from an answer that showed only part of it.
func Whole(text string) error {
	if textfmt.Marked(text) {
		return errors.New(MarkedWhy)
	}
	_, err := datauri.Restore(text)
	return err
}

// MarkedWhy is the error for a text that is [textfmt.Marked].
var MarkedWhy = "contains the mark of a cut text (\"… [N characters left out] …\"), so it is not the whole source" + textfmt.Hint(": read the cell with a larger maxCellData")

// Sentences joins the notes that are not empty.
func Sentences(notes ...string) string {
	return strings.Join(said(notes...), "; ")
}

// said returns the notes that are not empty.
func said(notes ...string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(s string) bool { return s == "" })
}

// Stamp formats a time as the tools do: ISO 8601, UTC, or "" for the zero time.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
