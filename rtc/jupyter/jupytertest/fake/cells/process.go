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

// Config describes the process that an interpreter imitates.
type Config struct {
	Dir string // the working folder
	PID int
	// NotUnderstood is called with a cell and the word in it that Python supports and this package does not.
	NotUnderstood func(cell, word string)
}

// ErrNoStdin is returned by [IO.Input] if the request does not allow input.
var ErrNoStdin = errors.New("cells: no input is allowed")

// IO receives a cell's output, and provides its input. The goroutine that runs the cell calls its methods.
type IO interface {
	// Stream writes to "stdout" or "stderr"; it may buffer the text until Flush.
	Stream(name, text string)
	Flush(name string)
	Display(Display)
	ClearOutput(wait bool)
	// Result sends the value of a cell, Error the exception that ended it.
	Result(data, metadata json.RawMessage)
	Error(Error)
	// Input requests a line from the user. It returns early, with any error, when ctx ends.
	Input(ctx context.Context, prompt string, password bool) (string, error)
	// Comm sends a comm_open, comm_msg or comm_close message.
	Comm(kind string, content json.RawMessage, buffers [][]byte)
}

// Display is the content of a display_data or, for Update, an update_display_data message. The fields are JSON
// objects.
type Display struct {
	Data, Metadata, Transient json.RawMessage
	Update                    bool
}

// Error is an exception in the form of a Jupyter message.
type Error struct {
	Name, Value string
	Traceback   []string
}

// Request is a cell to run. StoreHistory counts it; Expressions are evaluated if it succeeds; Begins is called before
// the code runs, once the cell can be interrupted.
type Request struct {
	Code         string
	Silent       bool
	StoreHistory bool
	Expressions  map[string]string
	Begins       func()
}

// Outcome is the result of a cell: Error is nil on success, Count is the number of the last counted cell, Payload and
// Expressions are for the reply. A process that was Killed sends nothing more; one that Exits ends after this cell.
type Outcome struct {
	Error         *Error
	Count         int
	Payload       []json.RawMessage
	Expressions   map[string]json.RawMessage
	Killed, Exits bool
}

// process is the state that functions of cells use: the kernel's process, and the running cell.
type process struct {
	config  Config
	globals starlark.StringDict // the user's variables and the given ones that they do not hide
	given   starlark.StringDict
	count   int
	comms   int
	formats []string // of figures
	drawn   bool     // a figure waits to be displayed

	gil           sync.Mutex      // held by running code, not while it waits; guards the fields below
	life          context.Context // of the process
	ctx           context.Context // of the cell; ends at an interrupt or with the process
	io            IO
	latest        IO   // of the cell that started last
	threaded      bool // the running code is a thread
	payload       []json.RawMessage
	exits, killed bool
}

// users returns the user's variables.
func (p *process) users() starlark.StringDict {
	out := maps.Clone(p.globals)
	maps.DeleteFunc(out, func(name string, v value) bool { return v == p.given[name] || strings.HasPrefix(name, "_") })
	return out
}

// sleep waits for d, or until an interrupt or the end of the process.
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

// input requests a line from the user.
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

// wait lets other code run while the caller waits; goOn takes the lock again.
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

// thread is threading.Thread: the output of its function belongs to the cell that started last, which may have ended
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
