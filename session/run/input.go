package run

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/kernel"
)

// DefaultInputTimeout is how long a person is waited for whose input code asks for.
const DefaultInputTimeout = time.Minute

// Question is what running code asks a person.
type Question struct {
	Path, CellID string
	Prompt       string // may be empty
	Password     bool   // the answer must be shown to nobody, and logged nowhere
}

// Asker asks a person; the answer is a line without its end. It is called by a goroutine of the run's, and must return
// when the context ends.
type Asker func(context.Context, Question) (string, error)

// ErrNoAsker is returned by an [Asker] that has nobody to ask, or no longer.
var ErrNoAsker error = fixedError("there is nobody to ask: the MCP client does not offer elicitation")

// Options are what else a run is given.
type Options struct {
	// Ask answers input() and getpass() in the code. Where it fails, the code is interrupted; where there is nobody to
	// ask, when the time for an answer is over.
	Ask Asker
	// Session is the analysis session that the run is asked for in, "" for none.
	Session string
	// Owner is who asks for the run.
	Owner string
}

// AskThrough has what the run's code asks, now or later, asked by another Asker than before; nil for nobody.
func (r *Run) AskThrough(ask Asker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ask = ask
	if r.askers != nil {
		close(r.askers)
	}
	r.askers = make(chan struct{})
}

// asker is who is to be asked, and what is closed when that changes.
func (r *Run) asker() (ask Asker, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.askers == nil {
		r.askers = make(chan struct{})
	}
	return r.ask, r.askers
}

// setAsking notes what the code waits for, nil for nothing.
func (r *Run) setAsking(q *Question) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.res.Asking = q
}

// inputs answers what one run asks.
type inputs struct {
	q    *Queue
	r    *Run
	w    interface{ Handle(ev kernel.Event) } // nil where what comes of it is not ours to write
	conn interface {
		Input(ctx context.Context, line string) error
	}
	ctx context.Context // ends with the code
	wg  sync.WaitGroup

	mu         sync.Mutex
	unanswered error
}

// handle takes in one event; all but questions go on to the writer.
func (in *inputs) handle(ev kernel.Event) {
	if q, ok := ev.(kernel.InputRequest); ok {
		// Not here: while a person thinks, the code can be interrupted.
		in.wg.Go(func() {
			in.answer(Question{Path: in.r.Path, CellID: in.r.CellID, Prompt: q.Prompt, Password: q.Password})
		})
		return
	}
	if st, ok := ev.(kernel.Status); ok && st.State == kernel.StateBusy && in.r.take() {
		in.q.interruptLate(in.r)
	}
	in.w.Handle(ev)
}

func (in *inputs) answer(q Question) {
	ctx, stop := context.WithTimeout(in.ctx, in.r.table.cfg.InputTimeout)
	defer stop()
	in.r.setAsking(&q)
	line, err := in.r.askSomebody(ctx, q)
	in.r.setAsking(nil)
	if in.ctx.Err() != nil {
		return // the code has ended meanwhile, or was interrupted
	}
	if err == nil {
		// As JupyterLab writes it: on a stream that is neither of the program's.
		shown := line
		if q.Password {
			shown = "········"
		}
		if in.w != nil {
			in.w.Handle(kernel.Stream{Name: "stdin", Text: q.Prompt + shown + "\n"})
		}
		err = in.conn.Input(in.ctx, line)
	}
	if err == nil || errors.Is(err, kernel.ErrNoInput) {
		return // nobody waits for it any more
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("nobody answered within %s", in.r.table.cfg.InputTimeout)
	} else if errors.Is(err, ErrNoAsker) {
		err = fmt.Errorf("nobody answered within %s: %w", in.r.table.cfg.InputTimeout, err)
	}
	in.mu.Lock()
	in.unanswered = fmt.Errorf("the code was interrupted, because it asked for input (%s): %w", strconv.Quote(clip(q.Prompt)), err)
	in.mu.Unlock()
	late, stopLate := context.WithTimeout(in.ctx, writeTimeout)
	defer stopLate()
	if err := in.q.host.interrupt(late); err != nil && in.ctx.Err() == nil {
		in.r.table.cfg.Log.Warn("code that waits for input could not be interrupted", "path", in.r.Path, "run", in.r.ID, "error", err)
	}
}

// askSomebody asks whoever there is to ask, as soon as there is somebody, until the context ends.
func (r *Run) askSomebody(ctx context.Context, q Question) (string, error) {
	for {
		ask, changed := r.asker()
		line, err := "", ErrNoAsker
		if ask != nil {
			line, err = ask(ctx, q)
		}
		if !errors.Is(err, ErrNoAsker) {
			return line, err
		}
		// The caller can look at the run, cancel it, or come back with somebody.
		select {
		case <-changed:
		case <-ctx.Done():
			return "", err
		}
	}
}

// err is why a question was not answered, nil where all were.
func (in *inputs) err() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.unanswered
}

// clip cuts a prompt to what an error can hold.
func clip(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
