package desk

import (
	"strconv"

	"github.com/nbduet/nbduet/ydoc"
)

// Revision writes a revision for clients: as a string, because JSON readers may round a number that large.
func Revision(r ydoc.Revision) string { return strconv.FormatUint(uint64(r), 10) }

// RevisionText describes the revision of something in a result.
func RevisionText(of string) string {
	return "Changes exactly when " + of + " does; only for comparing."
}
