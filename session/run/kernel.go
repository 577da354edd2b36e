package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/output"
	"github.com/nbduet/nbduet/ydoc"
)

// byKernel has the kernel run a cell, over a connection of ours, and writes what comes of it into the notebook.
type byKernel struct{ *Cells }

// Run sends the source to the kernel and feeds what comes back to the writer.
func (k byKernel) Run(r *Run, source string, w *output.Writer) (State, error) {
	conn, news, err := k.nb.Link().Connect(k.ctx)
	if err != nil {
		return Lost, fmt.Errorf("connect to a kernel: %w", err)
	}
	r.add(news)
	if r.interruptAsked() {
		return Cancelled, r.cancelled()
	}
	reply, in, err := k.converse(r, k.nb.Link(), conn, source, w)
	if why := lossNote(err); why != "" {
		w.Note("\n[" + why + "]\n")
	}
	if err != nil {
		return Lost, err
	}
	if w.SuitsServer() {
		r.add(k.serverAdvice())
	}
	if err := k.oblige(r, w, reply.Payload); err != nil {
		return Failed, err
	}
	return outcome(r, in, reply)
}

// converse has a kernel run code for a run, and feeds what comes back to where its output goes, questions excepted,
// which somebody is asked.
func (q *Queue) converse(r *Run, link *kernel.Link, conn *kernel.Conn, code string, out output.Sink) (kernel.Reply, *inputs, error) {
	ctx, stop := context.WithCancel(q.ctx)
	in := &inputs{q: q, r: r, w: out, conn: conn, ctx: ctx}
	reply, err := conn.Execute(q.ctx, kernel.Request{Code: code, StoreHistory: true, AllowStdin: true}, in.handle)
	stop()
	in.wg.Wait()
	if errors.Is(err, kernel.ErrKernelDead) {
		link.Forget(conn, err)
	}
	return reply, in, err
}

// serverAdvice is said of a run whose output was cut by the server's limits where the server has what is not held to
// them, "" where it has not.
func (k byKernel) serverAdvice() string {
	if k.nb.Servers().Apart() {
		return ""
	}
	ctx, stop := context.WithTimeout(k.ctx, finishTimeout)
	defer stop()
	if has, err := k.nb.Servers().Kernels.HasServerRuns(ctx, k.nb.Link().KernelID()); err != nil || !has {
		return ""
	}
	return "this server's jupyter-server-nbmodel would run the cell without these limits: start nbduet with --execute server for that"
}

// oblige does what the kernel asks of its client along with the reply (Jupyter messaging, "Payloads"): a page of help
// is shown as an output, and a text for the next input put into a new cell below, or into this one.
func (k byKernel) oblige(r *Run, w *output.Writer, payload []map[string]any) error {
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
		return nil // deleted meanwhile, and nobody knows where its next would be
	case replace:
		return e.SetSource(cell, text)
	}
	_, err := e.Insert(at+1, ydoc.NewCell{Type: "code", Source: text})
	return err
}
