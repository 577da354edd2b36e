package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/run"
)

// errSessionEnded is why runs of a session that was ended do not go on.
var errSessionEnded = errors.New("its analysis session was ended")

// Run queues code to be run in the kernel alone, behind what is queued already,
// and returns at once. It is for sessions that have no notebook; code is run in
// a notebook by [Document.RunWith], after [Analysis.Open].
func (a *Analysis) Run(code string, opt run.Options) (*run.Run, error) {
	if a.NotebookPath() != "" {
		return nil, fmt.Errorf("session %s has a notebook: its code is run in cells", a.id)
	}
	opt.Session, opt.Owner = a.id, a.owner
	return a.alone.Run(code, opt)
}

// Runs lists what was asked to be run in the session and is remembered, the
// latest first.
func (a *Analysis) Runs() []*run.Run {
	var out []*run.Run
	for _, r := range a.m.Runs("") {
		if r.Session == a.id {
			out = append(out, r)
		}
	}
	return out
}

// Interrupt stops what was asked to be run in the session and has not ended:
// what waits is taken back. It returns those runs, which may take a while to
// end. Somebody else's code is left alone, except in a kernel that was started
// for the session alone.
func (a *Analysis) Interrupt(ctx context.Context) ([]*run.Run, error) {
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
	alone := a.path == "" && a.started != ""
	a.mu.Unlock()
	if len(stopped) == 0 && alone {
		return nil, a.interrupt(ctx)
	}
	return stopped, nil
}

func (a *Analysis) interrupt(ctx context.Context) error {
	if err := a.m.cfg.Kernels.Interrupt(ctx, a.KernelID()); err != nil {
		return fmt.Errorf("interrupt the kernel of session %s: %w", a.id, err)
	}
	return nil
}

// interruptTimeout bounds the interrupt of code that was evaluated for somebody who has gone.
const interruptTimeout = time.Second

// Link is the connection to the kernel.
func (a analysisKernel) Link() *kernel.Link { return a.kernel }

// Interrupt stops what the kernel is doing.
func (a analysisKernel) Interrupt(ctx context.Context) error { return a.interrupt(ctx) }

// Use counts who uses the connection.
func (a analysisKernel) Use(n int) { a.use(n) }

// Rest lets go of the connection where it has not been used for a while: the
// server is to see that the kernel is not in use, and may shut down such ones.
func (a analysisKernel) Rest() {
	a.mu.Lock()
	defer a.mu.Unlock() // nobody can begin to use it meanwhile
	if a.users == 0 && time.Since(a.last) >= a.m.cfg.IdleTimeout {
		a.kernel.Close()
	}
}
