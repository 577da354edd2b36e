package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// byKernel runs cells over our connection to the kernel, and writes the outputs into the notebook.
type byKernel struct{ *Cells }

// run sends the source to the kernel and its outputs to the writer. The error says why the run was lost or cancelled.
func (k byKernel) run(r *Run, source string, w *output.Writer) (State, error) {
	for try := 1; ; try++ {
		conn, news, err := k.nb.Link().Connect(k.ctx)
		if k.ctx.Err() != nil {
			k.noteNotRun(r, w, noteNotRun)
			return Cancelled, fmt.Errorf("not run: %w", k.over)
		}
		if err != nil {
			return Cancelled, fmt.Errorf("not run: %w", err)
		}
		r.add(news)
		if r.interruptAsked() {
			return Cancelled, r.cancelled()
		}
		reply, in, err := k.converse(r, k.nb.Link(), conn, w, func(handle func(kernel.Event)) (kernel.Reply, error) {
			return conn.Execute(k.ctx, kernel.Request{Code: source, First: figure.Setup, StoreHistory: true, AllowStdin: true, Late: w.Until(), Marked: r.marked}, handle)
		})
		if k.ctx.Err() != nil || !anew(err, try) {
			if err == nil {
				k.describe(r, conn)
			}
			return k.conclude(r, w, reply, in, err)
		}
	}
}

// conclude ends a run by the kernel's answer, or by the reason why it is missing.
func (k byKernel) conclude(r *Run, w *output.Writer, reply kernel.Reply, in *inputs, err error) (State, error) {
	if err != nil && k.ctx.Err() != nil {
		if w.Begun() {
			w.Note("\n" + noteLeft)
		} else {
			w.Note(noteLeftWaiting)
		}
		return Lost, ErrLeft
	}
	switch why := lossNote(err); {
	case why != "" && w.Begun():
		w.Note("\n[" + why + "]\n")
	case why != "": // a kernel may die before it reports the begin
		k.noteNotRun(r, w, "["+why+"]\n")
	}
	if err != nil {
		return Lost, err
	}
	if reply.Status != "aborted" {
		r.take() // a kernel need not report the begin of code without output
		w.Begin()
	}
	if err := k.applyPayload(r, w, reply.Payload); err != nil {
		return Failed, err
	}
	return outcome(r, in, reply)
}

// describe writes the kernel's language into the notebook's metadata, as a tab does, unless it is there already: other
// programs, such as nbconvert, read the cells' language from it.
func (c *Cells) describe(r *Run, conn *kernel.Conn) {
	const key = "language_info"
	ctx, stop := context.WithTimeout(origin.With(c.ctx, origin.Author{Client: r.Owner}), finishTimeout)
	defer stop()
	info, err := conn.LanguageInfo(ctx)
	if err != nil {
		return // the next run asks again
	}
	had, _ := c.nb.Notebook().Metadata()[key].(map[string]any)
	if name, _ := info["name"].(string); name == "" || had["name"] == name {
		return
	}
	if err := c.nb.Edit(ctx, "kernel", func(e *ydoc.Editor) error { return e.SetMetadata(key, info) }); err != nil {
		c.table.cfg.Log.Warn("the kernel's language is not in the notebook's metadata", "path", r.Path, "error", err)
	}
}

// converse calls do to execute or follow a run's code in a kernel, sends the outputs to out, and answers the questions.
func (q *Queue) converse(r *Run, link *kernel.Link, conn *kernel.Conn, out output.Sink, do func(handle func(kernel.Event)) (kernel.Reply, error)) (kernel.Reply, *inputs, error) {
	ctx, stop := context.WithCancel(q.ctx)
	in := &inputs{q: q, r: r, w: out, conn: conn, ctx: ctx}
	reply, err := do(in.handle)
	stop()
	in.wg.Wait()
	if errors.Is(err, kernel.ErrKernelDead) {
		link.Forget(conn, err)
	}
	return reply, in, err
}

// applyPayload applies the payload of the kernel's reply (Jupyter messaging, "Payloads"): it shows a page of help as an
// output, and puts a text for the next input into a new cell below, or into this one.
func (k byKernel) applyPayload(r *Run, w *output.Writer, payload []map[string]any) error {
	paged := false
	for _, p := range payload {
		switch p["source"] {
		case "page":
			if data, ok := p["data"].(map[string]any); ok && !paged {
				paged = true // JupyterLab shows the first one
				w.Handle(kernel.Display{Data: data})
			}
		case "set_next_input":
			text, ok := p["text"].(string)
			if !ok {
				continue
			}
			replace, _ := p["replace"].(bool)
			ctx, stop := context.WithTimeout(k.ctx, writeTimeout)
			err := k.nb.Edit(ctx, "next input", func(e *ydoc.Editor) error { return nextInput(e, r.CellID, text, replace) })
			stop()
			if err != nil {
				return fmt.Errorf("write the next input, as the code asked: %w", err)
			}
		}
	}
	return nil
}

func nextInput(e *ydoc.Editor, cell, text string, replace bool) error {
	at, ok := e.Index(cell)
	switch {
	case !ok:
		return nil // deleted meanwhile, so the next one has no place
	case replace:
		return e.SetSource(cell, text)
	}
	_, err := e.Insert(at+1, ydoc.NewCell{Type: "code", Source: text})
	return err
}

// Notebook is the open notebook whose cells are run, as used by this package.
type Notebook interface {
	output.Notebook // an error of Edit matches Unconfirmed if the room may lack the edit
	// Settled returns when the room has all our earlier edits.
	Settled(ctx context.Context) error
	// Joined returns the room as currently joined.
	Joined() Joined
	// FileID returns the server's id of the file.
	FileID() string
	// Hold adds n to the number of users who need the document open.
	Hold(n int)

	// Served notes that the server runs a cell for a client, and writes its outputs, until end is called.
	Served(cell, client string) (end func())

	// Way returns how the cells are run.
	Way() Way
	// Link returns the connection to the notebook's kernel.
	Link() *kernel.Link
	// KernelState returns the id and the state of the notebook's kernel, "" without a kernel; it does not start one.
	KernelState(ctx context.Context) (id, state string, err error)
	// Others returns the other clients in the room, as far as they are known.
	Others() []uint64
	// Interrupt interrupts the notebook's kernel.
	Interrupt(ctx context.Context) error
	// Session finds or starts the notebook's Jupyter session, with its kernel.
	Session(ctx context.Context) (jupyter.Session, error)
	// Reattach connects the room to its kernel's new process, if the server runs the cells.
	Reattach(ctx context.Context, s jupyter.Session)
	// Servers returns the servers of the notebook and the kernel.
	Servers() *kernel.Servers
}

// Joined is one joining of a notebook's room. When the room is lost, another one with its own replica replaces it.
type Joined struct {
	Room     Room
	Notebook *ydoc.Notebook
}

// Room is a notebook's room, as used by this package.
type Room interface {
	ID() string
	Barrier(ctx context.Context) error
	Err() error
}

// Unconfirmed is matched, with [errors.As], by the error of an edit that the room has not confirmed in time. Our replica
// has the edit, which reaches the room when possible.
type Unconfirmed interface {
	error
	Unconfirmed()
}
