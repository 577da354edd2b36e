package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// User is the analysis session whose kernel runs code without a notebook, as used by [Alone].
type User interface {
	// KernelID returns the id of the kernel, as last seen.
	KernelID() string
	// Link returns the connection to the kernel.
	Link() *kernel.Link
	// Interrupt interrupts the kernel.
	Interrupt(ctx context.Context) error
	// Use adds n to the number of users of the connection.
	Use(n int)
	// Rest is called when nothing has run for a while.
	Rest()
}

// Alone is the queue of code that runs in a kernel without a notebook.
type Alone struct {
	*Queue
	user User
}

// NewAlone returns the queue of a kernel. It works until the context ends; over is the error of runs after that. After an
// idle period of idle, it calls the user's Rest.
func NewAlone(ctx context.Context, user User, t *Table, idle time.Duration, over error) *Alone {
	a := &Alone{user: user}
	a.Queue = newQueue(ctx, a, t, over)
	a.idle = idle
	return a
}

// Run appends code to the queue, and returns at once.
func (a *Alone) Run(code string, opt Options) (*Run, error) {
	r := &Run{code: code, kernel: a.user.KernelID(), queue: a.Queue, group: a.table.groups.Add(1)}
	a.table.add(r, opt)
	if err := a.push(r); err != nil {
		r.end(Cancelled, err)
		return nil, fmt.Errorf("run: %w", err)
	}
	return r, nil
}

// execute executes one run.
func (a *Alone) execute(r *Run) {
	k := output.NewKeeper(r.ID, a.table.stores())
	r.begin(k)
	state, err := a.ask(r, k)
	if err != nil && a.ctx.Err() != nil {
		err = a.over
	}
	k.Finish()
	a.end(a.ctx, r, state, err)
}

// ask sends the code to the kernel and its outputs to the keeper.
func (a *Alone) ask(r *Run, k *output.Keeper) (State, error) {
	a.user.Use(1)
	defer a.user.Use(-1)
	for try := 1; ; try++ {
		conn, news, err := a.user.Link().Connect(a.ctx)
		if err != nil {
			return Lost, fmt.Errorf("connect to the kernel: %w", err)
		}
		r.add(news)
		if r.interruptAsked() {
			return Cancelled, r.cancelled()
		}
		reply, in, err := a.converse(r, a.user.Link(), conn, k, func(handle func(kernel.Event)) (kernel.Reply, error) {
			return conn.Execute(a.ctx, kernel.Request{Code: r.code, First: figure.Setup, StoreHistory: true, AllowStdin: true}, handle)
		})
		switch {
		case anew(err, try):
			continue
		case err != nil:
			return Lost, err
		}
		showPayload(k, reply.Payload)
		return outcome(r, in, reply)
	}
}

func (a *Alone) interrupt(ctx context.Context) error { return a.user.Interrupt(ctx) }

// drop does nothing: waiting code is shown nowhere.
func (a *Alone) drop(context.Context, ...*Run) error { return nil }

func (a *Alone) rest() { a.user.Rest() }

// showPayload shows the payload of the kernel's reply as outputs: pages of help, and texts for the next cell, which does
// not exist here.
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

// A refusal ends a run that the server did not accept: if the server refused it, the cell gets its outputs and count back.
type refusal func(err error) (State, error)

// handOver removes the earlier run from a cell that the server is about to execute, once its kernel has been found. The
// server writes into the cell as soon as it has the request, so this cannot wait until the kernel has begun.
func (c *Cells) handOver(ctx context.Context, r *Run, w *output.Writer) (refusal, error) {
	var before ydoc.Cell
	err := c.nb.Edit(ctx, "run", func(e *ydoc.Editor) error {
		before, _ = e.Cell(r.CellID)
		return e.StartRun(r.CellID)
	})
	back := func(e *ydoc.Editor) error {
		return errors.Join(e.SetOutputs(r.CellID, before.Outputs), e.FinishRun(r.CellID, before.ExecutionCount))
	}
	if err != nil {
		if errors.As(err, new(Unconfirmed)) {
			err = errors.Join(err, c.nb.Notebook().Edit("run", back)) // both edits reach the room when possible
		}
		return nil, err
	}
	w.Mirror(nil, nil)
	return func(err error) (State, error) {
		var answer *jupyter.Error
		if !errors.As(err, &answer) || answer.Status == 0 {
			return Lost, err // the server may have accepted it anyway
		}
		ctx, stop := c.late(err)
		defer stop()
		w.Leave()
		return Cancelled, errors.Join(fmt.Errorf("not run: %w", err), c.nb.Edit(ctx, "run", back))
	}, nil
}
