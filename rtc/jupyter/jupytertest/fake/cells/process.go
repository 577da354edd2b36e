package cells

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"
)

// Config says what process an interpreter pretends to be.
type Config struct {
	Dir string // the working folder
	PID int
	// NotUnderstood is told of the word of a cell that Python has and this package has not.
	NotUnderstood func(cell, word string)
}

// ErrNoStdin is what [IO.Input] returns where the request does not allow input.
var ErrNoStdin = errors.New("cells: no input is allowed")

// IO is where a cell's output goes, and its input comes from. The goroutine that runs the cell calls its methods.
type IO interface {
	// Stream writes to "stdout" or "stderr", which may keep the text until Flush.
	Stream(name, text string)
	Flush(name string)
	Display(Display)
	ClearOutput(wait bool)
	// Result shows the value of a cell, Error the exception that has ended it.
	Result(data, metadata json.RawMessage)
	Error(Error)
	// Input asks the user for a line. It returns early, with any error, when ctx ends.
	Input(ctx context.Context, prompt string, password bool) (string, error)
	// Comm sends a comm_open, comm_msg or comm_close message.
	Comm(kind string, content json.RawMessage, buffers [][]byte)
}

// Display is what a display_data or, for Update, an update_display_data message says. The fields are JSON objects.
type Display struct {
	Data, Metadata, Transient json.RawMessage
	Update                    bool
}

// Error is an exception as a Jupyter message has it.
type Error struct {
	Name, Value string
	Traceback   []string
}

// Request is a cell to run. StoreHistory counts it; Expressions are evaluated if it has not failed; Begins is called
// before anything runs, when the cell heeds an interrupt.
type Request struct {
	Code         string
	Silent       bool
	StoreHistory bool
	Expressions  map[string]string
	Begins       func()
}

// Outcome is how a cell has ended: Error is nil for a good end, Count that of the cell that was counted last, Payload and
// Expressions are for the reply. A process that was Killed says nothing more, one that Exits ends after this cell.
type Outcome struct {
	Error         *Error
	Count         int
	Payload       []json.RawMessage
	Expressions   map[string]json.RawMessage
	Killed, Exits bool
}

// process is what functions of cells work on: that of the kernel, and the cell that runs in it.
type process struct {
	config  Config
	globals starlark.StringDict // the user's variables and, where they do not hide them, what is given
	given   starlark.StringDict
	count   int
	comms   int
	formats []string // of figures
	drawn   bool     // a figure waits to be shown

	gil           sync.Mutex      // held by what runs, and not while it waits; guards what follows
	life          context.Context // of the process
	ctx           context.Context // of the cell, ends at an interrupt or with the process
	io            IO
	latest        IO   // of the cell that was begun last
	threaded      bool // what runs is a thread
	payload       []json.RawMessage
	exits, killed bool
}

// users are the user's variables.
func (p *process) users() starlark.StringDict {
	out := maps.Clone(p.globals)
	maps.DeleteFunc(out, func(name string, v value) bool { return v == p.given[name] || strings.HasPrefix(name, "_") })
	return out
}

// sleep waits, unless an interrupt or the process's end comes first.
func (p *process) sleep(d time.Duration) error {
	ctx := p.ctx
	defer p.wait()()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return raised("KeyboardInterrupt", "")
	}
}

// input asks the user.
func (p *process) input(prompt string, password bool) (value, error) {
	p.flush()
	ctx, io, goOn := p.ctx, p.io, p.wait()
	line, err := io.Input(ctx, prompt, password)
	goOn()
	switch {
	case errors.Is(err, ErrNoStdin):
		name := map[bool]string{false: "raw_input", true: "getpass"}[password]
		return nil, raised("StdinNotImplementedError", "%s was called, but this frontend does not support input requests.", name)
	case err != nil:
		return nil, raised("KeyboardInterrupt", "Interrupted by user")
	default:
		return starlark.String(line), nil
	}
}

// wait lets others run while the caller waits; what it returns takes the turn back.
func (p *process) wait() (goOn func()) {
	ctx, io, threaded := p.ctx, p.io, p.threaded
	p.gil.Unlock()
	return func() {
		p.gil.Lock()
		if threaded {
			io = p.latest
		}
		p.ctx, p.io, p.threaded = ctx, io, threaded
	}
}

// thread is threading.Thread: the output of its function belongs to the cell that was begun last, which may have ended
// (ipykernel 7.4).
func (p *process) thread(a args) (value, error) {
	target, ok := a[0].(starlark.Callable)
	if !ok {
		return nil, notUnderstood("Thread() of " + a[0].Type())
	}
	return &object{kind: "Thread", text: "<Thread>", attrs: starlark.StringDict{"start": does("start", "", func(args) error {
		life := p.life
		go func() {
			p.gil.Lock()
			defer p.gil.Unlock()
			ctx, io := p.ctx, p.io
			p.ctx, p.io, p.threaded = life, p.latest, true
			if _, err := starlark.Call(&starlark.Thread{Name: "thread"}, target, nil, nil); err != nil && life.Err() == nil {
				p.io.Stream("stderr", "Exception in thread Thread-1:\n"+err.Error()+"\n")
			}
			p.ctx, p.io, p.threaded = ctx, io, false
		}()
		return nil
	})}}, nil
}

func (p *process) flush() {
	p.io.Flush("stdout")
	p.io.Flush("stderr")
}

// kill ends the process.
func (p *process) kill() error {
	p.killed = true
	return raised("SystemExit", "")
}
