package reading

import (
	"github.com/nbduet/nbduet/session/spans"
	"github.com/nbduet/nbduet/ydoc"
)

// parts are the parts of a text that a client knows.
type parts struct {
	hash  uint64        // of the text
	rev   ydoc.Revision // of it in the replica of that time
	known spans.Set
}
