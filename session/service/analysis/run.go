package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// errSessionEnded is the error of the runs of an ended session.
var errSessionEnded = errors.New("its analysis session was ended")

// Run appends code to the session's own queue, and returns at once. It is for sessions without a notebook; in a
// notebook, [session.Document.RunWith] runs code after [Session.Open].
func (a *Session) Run(code string, opt run.Options) (*run.Run, error) {
	if !a.NotebookPath().IsRoot() {
		return nil, fmt.Errorf("session %s has a notebook: its code runs in cells", a.id)
	}
	opt.Session, opt.Owner = a.id, a.owner
	return a.alone.Run(code, opt)
}

// Runs lists the session's known runs, latest first.
func (a *Session) Runs() []*run.Run {
	return slices.DeleteFunc(a.t.m.RunTable().Runs(jupyter.Path{}), func(r *run.Run) bool { return r.Session != a.id })
}

// Interrupt cancels the session's runs that have not ended, and returns them; they may take a while to end. Other code
// continues, except in a kernel that was started only for the session.
func (a *Session) Interrupt(ctx context.Context) ([]*run.Run, error) {
	var stopped []*run.Run
	for _, r := range a.Runs() { // waiting ones first, so that none of them begins
		if r.Status().State.Ended() {
			continue
		}
		if err := r.Cancel(ctx); err != nil {
			return stopped, err
		}
		stopped = append(stopped, r)
	}
	a.mu.Lock()
	own := a.path.IsRoot() && a.started != ""
	a.mu.Unlock()
	if len(stopped) == 0 && own {
		return nil, alone{a}.Interrupt(ctx)
	}
	return stopped, nil
}
