package editguard

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// guardian is the username of the hold on a suspect notebook. No person has it, so that the "go on" of any person lifts it.
const guardian = "nbduet-guard"

// Suspect forbids the agents, in any process, to change a notebook whose room has lost or doubled its cells. loss says so, and
// before is the revision of the journal from before that. It reports whether the notebook was not suspect.
func Suspect(nb *ydoc.Notebook, loss, before string) (bool, error) {
	if Suspected(nb).Suspect != "" {
		return false, nil
	}
	h := Hold{Cell: whole, Name: "nbduet", Username: guardian, Since: time.Now(), Suspect: loss, Before: before}
	return true, nb.SetState(map[string]any{h.key(): h.entry()})
}

// Suspected returns the hold on a suspect notebook, a zero one if it is not suspect.
func Suspected(nb *ydoc.Notebook) Hold {
	if nb != nil {
		for _, h := range holdsIn(nb.StateEntries(prefix + whole + ":" + guardian)) {
			return h
		}
	}
	return Hold{}
}

// remedy is the next step of a client of a suspect notebook.
var remedy = "tell your user, and ask whether to bring the cells back" + textfmt.Hint("; if they say so, call restore_notebook with revision before") +
	", or whether the notebook is right, which a person says with @Duet go on in it or in its chat"

// seen describes the loss of a suspect notebook, with its time.
func (h Hold) seen() string {
	return fmt.Sprintf("%s at %s, and no person is seen to have done that", h.Suspect, h.Since.Format("15:04:05"))
}

// Suspicion describes the loss of a suspect notebook and the remedy, "" if it is not suspect.
func Suspicion(nb *ydoc.Notebook) string {
	if h := Suspected(nb); h.Suspect != "" {
		return h.seen() + ": " + remedy
	}
	return ""
}

// Trust makes a notebook no longer suspect.
func Trust(nb *ydoc.Notebook) error {
	if h := Suspected(nb); h.Suspect != "" {
		return nb.SetState(map[string]any{h.key(): nil})
	}
	return nil
}

// Restoring returns the context of a call that may write in a suspect notebook.
func Restoring(ctx context.Context) context.Context {
	m := of(ctx).Manners
	m.Restores = true
	return With(ctx, m)
}
