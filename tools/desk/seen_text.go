package desk

import "github.com/nbduet/nbduet/ydoc"

// What is kept of a text as a whole.
const (
	WholeText = ""               // stands where the id of a cell would
	Stale     = ydoc.Revision(0) // is the revision of a text that the client knows no more
)
