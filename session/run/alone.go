package run

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/output"
)

// User is what is needed of whose kernel it is that code is run in without a notebook.
type User interface {
	// Link is the connection to the kernel.
	Link() *kernel.Link
	// Interrupt stops what the kernel is doing.
	Interrupt(ctx context.Context) error
	// Use counts who uses the connection: so many more, or fewer.
	Use(n int)
	// Rest is called when nothing was run for a while.
	Rest()
}

// Alone has the queue of code that is run in a kernel, and shown in no notebook.
type Alone struct {
	*Queue
	user User
}

// NewAlone makes the queue of a kernel. Its work ends with the context, and over says why nothing is run after that; when
// nothing has been run for as long as idle the user may rest.
func NewAlone(ctx context.Context, user User, t *Table, idle time.Duration, over error) *Alone {
	a := &Alone{user: user}
	a.Queue = newQueue(ctx, a, t, over)
	a.idle = idle
	return a
}

// Run queues code behind what is queued already, and returns at once.
func (a *Alone) Run(code string, opt Options) (*Run, error) {
	r := &Run{code: code, queue: a.Queue, group: a.table.newGroup()}
	a.table.add(r, opt)
	if err := a.push(r); err != nil {
		r.end(Cancelled, err)
		return nil, fmt.Errorf("run: %w", err)
	}
	return r, nil
}

// execute carries out one run.
func (a *Alone) execute(r *Run) {
	k := output.NewKeeper(r.ID, &a.table.spools)
	r.begin(k)
	state, err := a.ask(r, k)
	if err != nil && a.ctx.Err() != nil {
		err = a.over
	}
	k.Finish()
	a.end(a.ctx, r, state, err)
}

// ask sends the code to the kernel and feeds what comes back to the keeper.
func (a *Alone) ask(r *Run, k *output.Keeper) (State, error) {
	a.user.Use(1)
	defer a.user.Use(-1)
	conn, news, err := a.user.Link().Connect(a.ctx)
	if err != nil {
		return Lost, fmt.Errorf("connect to the kernel: %w", err)
	}
	r.add(news)
	if r.interruptAsked() {
		return Cancelled, r.cancelled()
	}
	reply, in, err := a.converse(r, a.user.Link(), conn, r.code, k)
	if err != nil {
		return Lost, err
	}
	showPayload(k, reply.Payload)
	return outcome(r, in, reply)
}

func (a *Alone) interrupt(ctx context.Context) error { return a.user.Interrupt(ctx) }

// drop has nothing to do: what waits is shown nowhere.
func (a *Alone) drop(context.Context, ...*Run) error { return nil }

func (a *Alone) rest() { a.user.Rest() }

// showPayload does what the kernel asks of its client along with the reply: there is no next cell, so a text for one is
// shown as a page of help is.
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
