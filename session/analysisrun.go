package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/output"
)

// errSessionEnded is why runs of a session that was ended do not go on.
var errSessionEnded = errors.New("its analysis session was ended")

// A worker carries out runs: a document, or an analysis session that has no
// notebook.
type worker interface {
	// interrupt stops what the worker's kernel is doing.
	interrupt(ctx context.Context) error
	// takeBack takes a run that waits out of the queue; false where it does not
	// wait any more.
	takeBack(ctx context.Context, r *Run) (bool, error)
	// interruptLate interrupts a run that was cancelled before the kernel came to it.
	interruptLate(r *Run)
}

// Run queues code to be run in the kernel alone, behind what is queued already,
// and returns at once. It is for sessions that have no notebook; code is run in
// a notebook by [Document.RunWith], after [Analysis.Open].
func (a *Analysis) Run(code string, opt RunOptions) (*Run, error) {
	if a.NotebookPath() != "" {
		return nil, fmt.Errorf("session %s has a notebook: its code is run in cells", a.id)
	}
	r := &Run{
		Session: a.id, Owner: a.owner, code: code, m: a.m, doc: a, group: &runGroup{}, done: make(chan struct{}),
		ask: opt.Ask, res: Result{State: Queued},
	}
	a.m.runs.add(r)
	if err := a.queue.push([]*Run{r}); err != nil {
		r.end(Cancelled, err)
		return nil, fmt.Errorf("run: %w", err)
	}
	return r, nil
}

// Runs lists what was asked to be run in the session and is remembered, the
// latest first.
func (a *Analysis) Runs() []*Run {
	var out []*Run
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
func (a *Analysis) Interrupt(ctx context.Context) ([]*Run, error) {
	var stopped []*Run
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

func (a *Analysis) takeBack(_ context.Context, r *Run) (bool, error) {
	if !a.queue.remove(r) {
		return false, nil
	}
	r.end(Cancelled, fmt.Errorf("run %s was cancelled before it started", r.ID))
	return true, nil
}

// runner executes the queue, and lets go of a connection that is not used.
func (a *Analysis) runner() {
	for {
		r := a.queue.pop()
		switch {
		case r != nil && a.ctx.Err() != nil:
			r.end(Cancelled, errSessionEnded)
			continue
		case r != nil:
			a.execute(r)
			continue
		}
		idle := time.NewTimer(a.m.cfg.IdleTimeout)
		select {
		case <-a.ctx.Done():
			idle.Stop()
			return
		case <-a.queue.wake:
			idle.Stop()
		case <-idle.C:
			a.rest()
		}
	}
}

// rest lets go of the connection where it has not been used for a while: the
// server is to see that the kernel is not in use, and may shut down such ones.
func (a *Analysis) rest() {
	a.mu.Lock()
	defer a.mu.Unlock() // nobody can begin to use it meanwhile
	if a.users == 0 && time.Since(a.last) >= a.m.cfg.IdleTimeout {
		a.kernel.Close()
	}
}

// execute carries out one run.
func (a *Analysis) execute(r *Run) {
	k := output.NewKeeper(r.ID, &a.m.spools)
	r.begin(k)
	state, err := a.ask(r, k)
	if err != nil && a.ctx.Err() != nil {
		err = errSessionEnded
	}
	k.Finish()
	r.end(state, err)
	if kernelGone(err) {
		// Whatever waits was meant for the kernel that is gone.
		for _, w := range a.queue.drain() {
			w.end(Cancelled, fmt.Errorf("not run: %s while run %s went on", goneWhy(err), r.ID))
		}
	}
}

// ask sends the code to the kernel and feeds what comes back to the keeper.
func (a *Analysis) ask(r *Run, k *output.Keeper) (RunState, error) {
	a.use(1)
	defer a.use(-1)
	conn, news, err := a.kernel.Connect(a.ctx)
	if err != nil {
		return Lost, fmt.Errorf("connect to the kernel: %w", err)
	}
	r.add(news)
	if r.interruptAsked() {
		return Cancelled, fmt.Errorf("run %s was cancelled before it started", r.ID)
	}
	ctx, stop := context.WithCancel(a.ctx)
	in := &inputs{d: a, r: r, w: k, conn: conn, ctx: ctx}
	reply, err := conn.Execute(a.ctx, kernel.Request{Code: r.code, StoreHistory: true, AllowStdin: true}, in.handle)
	stop()
	in.wg.Wait()
	if errors.Is(err, kernel.ErrKernelDead) {
		a.kernel.Forget(conn, err)
	}
	if err != nil {
		return Lost, err
	}
	showPayload(k, reply.Payload)
	return outcome(r, in, reply)
}

// showPayload does what the kernel asks of its client along with the reply: there is
// no next cell, so a text for one is shown as a page of help is.
func showPayload(k *output.Keeper, payload []map[string]any) {
	for _, p := range payload {
		switch p["source"] {
		case "page":
			if data, ok := p["data"].(map[string]any); ok {
				k.Handle(kernel.Display{Data: data})
			}
		case "set_next_input":
			if text, ok := p["text"].(string); ok {
				k.Handle(kernel.Display{Data: map[string]any{"text/plain": text}})
			}
		}
	}
}

// interruptLate interrupts a run that was cancelled before the kernel came to
// it. It is called by the session's runner.
func (a *Analysis) interruptLate(r *Run) {
	a.wg.Go(func() {
		ctx, stop := context.WithTimeout(a.ctx, writeTimeout)
		defer stop()
		if err := a.interrupt(ctx); err != nil {
			a.m.log.Warn("a cancelled run goes on", "session", a.id, "run", r.ID, "error", err)
		}
	})
}
