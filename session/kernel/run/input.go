package run

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/session/textfmt"
)

// DefaultInputTimeout is how long to wait for a person's input.
const DefaultInputTimeout = time.Minute

// Question is a question of running code to a person.
type Question struct {
	Path     jupyter.Path
	CellID   string
	Prompt   string // may be empty
	Password bool   // the answer must not be shown or logged
}

// Asker asks a person; the answer is a line without its newline. A goroutine of the run calls it, and it must return when
// the context ends.
type Asker func(context.Context, Question) (string, error)

// ErrNoAsker is returned by an [Asker] that cannot ask a person (any more).
var ErrNoAsker = textfmt.Fixed("no person can be asked: the MCP client does not offer elicitation")

// Options are the options of a run.
type Options struct {
	// Ask answers input() and getpass() in the code. If it fails, the code is interrupted; if no person can be asked, the
	// run is [WaitingForInput], and the code is interrupted after the time for an answer.
	Ask Asker
	// Session is the analysis session of the run, "" for none.
	Session string
	// Owner is the client that requests the run.
	Owner string
}

// AskThrough replaces the Asker of the run's present and later questions; nil for none.
func (r *Run) AskThrough(ask Asker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ask = ask
	if ask != nil {
		r.fill() // now a person answers, so a call that waits for the run does not end
	}
	close(r.askers)
	r.askers = make(chan struct{})
}

// asker returns the current Asker, and a channel that is closed when it changes.
func (r *Run) asker() (ask Asker, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ask, r.askers
}

// setAsking records the question that the code waits for, nil for none.
func (r *Run) setAsking(q *Question) {
	r.mu.Lock()
	r.res.Asking = q
	r.mu.Unlock()
	if r.table.cfg.Asks != nil {
		r.table.cfg.Asks(r)
	}
}

// inputs answers the questions of one run.
type inputs struct {
	q    *Queue
	r    *Run
	w    output.Sink
	conn *kernel.Conn
	ctx  context.Context // ends with the code
	wg   sync.WaitGroup

	mu         sync.Mutex
	unanswered error // why a question was not answered; may be read when wg is done
}

// handle answers questions, and passes other events on to the writer.
func (in *inputs) handle(ev kernel.Event) {
	in.received(ev)
	if q, ok := ev.(kernel.InputRequest); ok {
		// In a goroutine: while a person thinks, the code can be interrupted.
		in.wg.Go(func() {
			in.answer(Question{Path: in.r.Path, CellID: in.r.CellID, Prompt: q.Prompt, Password: q.Password})
		})
		return
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
		// As in JupyterLab: on its own stream.
		shown := lo.Ternary(q.Password, "········", line)
		in.w.Handle(kernel.Stream{Name: "stdin", Text: q.Prompt + shown + "\n"})
		err = in.conn.Input(in.ctx, line)
	}
	if err == nil || errors.Is(err, kernel.ErrNoInput) {
		return // the code no longer waits for it
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer came within %s", in.r.table.cfg.InputTimeout)
	} else if errors.Is(err, ErrNoAsker) {
		err = fmt.Errorf("no answer came within %s: %w", in.r.table.cfg.InputTimeout, err)
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

// askSomebody asks as soon as an Asker can ask, until the context ends.
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
		// The caller can answer, view or cancel the run, or return with another Asker.
		v := r.vacate(changed)
		if v == nil {
			continue
		}
		answered := false
		select {
		case line, answered = <-v:
		case <-changed:
		case <-ctx.Done():
		}
		if !answered {
			line, answered = r.close(v) // an accepted answer counts in any case
		}
		switch {
		case answered:
			return line, nil
		case ctx.Err() != nil:
			return "", err
		}
	}
}

// clip shortens a prompt for an error message.
func clip(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// beginPause is the time after which code counts as begun once its kernel is busy with it, if the kernel does not report
// it.
const beginPause = 2 * time.Second

// received notes at the first event of a run that its code has begun, so that it can be interrupted. A busy kernel may not
// have begun the code yet: ipykernel ignores an interrupt until it has sent execute_input.
func (in *inputs) received(ev kernel.Event) {
	switch ev := ev.(type) {
	case kernel.Gap: // says nothing about the code
	case kernel.Status:
		if ev.State == kernel.StateBusy {
			in.wg.Go(in.begunLater)
		}
	default:
		in.begun()
	}
}

// begunLater is for kernels that send no execute_input.
func (in *inputs) begunLater() {
	pause := time.NewTimer(beginPause)
	defer pause.Stop()
	select {
	case <-pause.C:
		in.begun()
	case <-in.ctx.Done():
	}
}

func (in *inputs) begun() {
	if w, ok := in.w.(*output.Writer); ok {
		w.Begin()
	}
	if in.r.take() {
		in.q.interruptLate(in.r)
	}
}
