package output

import (
	"strings"

	"github.com/nbduet/nbduet/session/kernel"
)

// special reports whether an event is one that jupyter-server-nbmodel 0.2.9 does not write into the notebook as
// JupyterLab would: it fails over a carriage return or a backspace in a text that is not all ASCII, passes over display
// updates, and clears at once where that should wait.
func special(ev kernel.Event) bool {
	switch e := ev.(type) {
	case kernel.Stream:
		return strings.ContainsAny(e.Text, "\r\b")
	case kernel.Display:
		return e.Update
	case kernel.ClearOutput:
		return true
	}
	return false
}
