package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/run"
)

// errSessionEnded is why runs of a session that was ended do not go on.
var errSessionEnded = errors.New("its analysis session was ended")

// Run queues code to be run in the kernel alone, behind what is queued already, and returns at once. It is for sessions
// that have no notebook; code is run in a notebook by [session.Document.RunWith], after [Session.Open].
func (a *Session) Run(code string, opt run.Options) (*run.Run, error) {
	if a.NotebookPath() != "" {
		return nil, fmt.Errorf("session %s has a notebook: its code is run in cells", a.id)
	}
	opt.Session, opt.Owner = a.id, a.owner
	return a.alone.Run(code, opt)
}

// Runs lists what was asked to be run in the session and is remembered, the latest first.
func (a *Session) Runs() []*run.Run {
	var out []*run.Run
	for _, r := range a.t.m.RunTable().Runs("") {
		if r.Session == a.id {
			out = append(out, r)
		}
	}
	return out
}

// Interrupt stops what was asked to be run in the session and has not ended: what waits is taken back. It returns those
// runs, which may take a while to end. Somebody else's code is left alone, except in a kernel that was started for the
// session alone.
func (a *Session) Interrupt(ctx context.Context) ([]*run.Run, error) {
	var stopped []*run.Run
	for _, r := range a.Runs() { // those that wait first, so that none of them begins
		if r.Status().State.Ended() {
			continue
		}
		if err := r.Cancel(ctx); err != nil {
			return stopped, err
		}
		stopped = append(stopped, r)
	}
	a.mu.Lock()
	own := a.path == "" && a.started != ""
	a.mu.Unlock()
	if len(stopped) == 0 && own {
		return nil, alone{a}.Interrupt(ctx)
	}
	return stopped, nil
}
