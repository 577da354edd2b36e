package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/output"
	"github.com/nbduet/nbduet/ydoc"
)

// ask sends the cell's source, as it is when its turn comes, to the kernel and
// feeds what comes back to the writer.
func (d *Document) ask(r *Run, w *output.Writer) (RunState, error) {
	c, ok := d.Notebook().Cell(r.CellID)
	if !ok {
		return Cancelled, errors.New("the cell was deleted before its turn came")
	}
	if strings.TrimSpace(c.Source) == "" {
		return Done, nil // JupyterLab does not send it either
	}
	switch documents := d.current().documents; {
	case documents && d.m.Apart():
		return Failed, errDocumentsApart
	case documents:
		return d.askServer(r, w)
	case d.m.cfg.Execute == ExecuteServer && d.m.Apart():
		return Failed, errServerApart
	case d.m.cfg.Execute == ExecuteServer:
		return d.askNbmodel(r, w, c.Source)
	}
	conn, news, err := d.kernel.Connect(d.ctx)
	if err != nil {
		return Lost, fmt.Errorf("connect to a kernel: %w", err)
	}
	r.add(news)
	if r.interruptAsked() {
		return Cancelled, fmt.Errorf("run %s was cancelled before it started", r.ID)
	}
	ctx, stop := context.WithCancel(d.ctx)
	in := &inputs{d: d, r: r, w: w, conn: conn, ctx: ctx}
	reply, err := conn.Execute(d.ctx, kernel.Request{Code: c.Source, StoreHistory: true, AllowStdin: true}, in.handle)
	stop()
	in.wg.Wait()
	if errors.Is(err, kernel.ErrKernelDead) {
		d.kernel.Forget(conn, err)
	}
	if why := lossNote(err); why != "" {
		w.Note("\n[" + why + "]\n")
	}
	if err != nil {
		return Lost, err
	}
	if w.SuitsServer() {
		r.add(d.serverAdvice())
	}
	if err := d.oblige(r, w, reply.Payload); err != nil {
		return Failed, err
	}
	return outcome(r, in, reply)
}

// outcome is how a run has ended that the kernel has answered.
func outcome(r *Run, in *inputs, reply kernel.Reply) (RunState, error) {
	switch {
	case in.err() != nil:
		return Interrupted, in.err()
	case reply.Status == "ok":
		return Done, nil
	case r.interruptAsked() || reply.Status == "abort" || reply.Error != nil && reply.Error.Name == "KeyboardInterrupt":
		return Interrupted, nil // "abort" is what kernels made with ipykernel's base class say
	case reply.Status == "aborted":
		return Cancelled, errors.New("the kernel dropped it from its queue, because a cell of somebody else's had failed")
	}
	return Failed, nil
}

// kernelGone reports whether a run ended because its kernel did.
func kernelGone(err error) bool {
	return errors.Is(err, kernel.ErrKernelRestarted) || errors.Is(err, kernel.ErrKernelDead)
}

// goneWhy is what became of the kernel, for an error of which kernelGone holds.
func goneWhy(err error) string {
	switch {
	case errors.Is(err, kernel.ErrKernelDied):
		return "the kernel's process ended"
	case errors.Is(err, kernel.ErrKernelRestarted):
		return "the kernel was restarted"
	case errors.Is(err, kernel.ErrShutDown):
		return "the kernel was shut down"
	}
	return "the kernel died and could not be started again"
}

// lossNote is what the cell is to say of a run that the kernel has not ended,
// "" for nothing.
func lossNote(err error) string {
	if !kernelGone(err) {
		return ""
	}
	return goneWhy(err) + " while this cell ran; its variables are gone"
}

// oblige does what the kernel asks of its client along with the reply (Jupyter
// messaging, "Payloads"): a page of help is shown as an output, and a text for
// the next input put into a new cell below, or into this one.
func (d *Document) oblige(r *Run, w *output.Writer, payload []map[string]any) error {
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
			ctx, stop := context.WithTimeout(d.ctx, writeTimeout)
			err := d.Edit(ctx, "next input", func(e *ydoc.Editor) error { return nextInput(e, r.CellID, text, replace) })
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
