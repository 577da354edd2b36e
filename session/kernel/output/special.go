package output

import (
	"strings"

	"github.com/nbduet/nbduet/session/kernel"
)

// special reports whether jupyter-server-nbmodel 0.2.9 writes an event differently from JupyterLab: it fails on a
// carriage return or a backspace in text that is not ASCII, ignores display updates, and clears at once when it should
// wait.
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
