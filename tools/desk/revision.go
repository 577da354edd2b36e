package desk

import (
	"strconv"

	"github.com/nbduet/nbduet/ydoc"
)

// Revision writes a revision for clients: a string, because it may be beyond the numbers that JSON readers keep whole.
func Revision(r ydoc.Revision) string { return strconv.FormatUint(uint64(r), 10) }

// RevisionText describes the revision of something in a result.
func RevisionText(of string) string {
	return "Changes exactly when " + of + " does; to be compared, not understood."
}
