package session

import (
	"context"
	"strings"

	"github.com/nbduet/nbduet/session/kernel"
)

// Execute says where the cells of notebooks are run.
type Execute string

// Where cells are run. On a server with jupyter-server-documents it is always
// that which runs them.
const (
	// ExecuteAuto is what is sound: ExecuteKernel.
	ExecuteAuto Execute = "auto"
	// ExecuteKernel has this program ask the kernel, and write what comes of it
	// into the notebook.
	ExecuteKernel Execute = "kernel"
	// ExecuteServer has jupyter-server-nbmodel do that, so that a run goes on
	// when this program ends.
	ExecuteServer Execute = "server"
)

// ExecuteWords are the values that there are.
func ExecuteWords() []string {
	return []string{string(ExecuteKernel), string(ExecuteServer), string(ExecuteAuto)}
}

// special reports whether an event is one that jupyter-server-nbmodel 0.2.9
// does not write into the notebook as JupyterLab would: it fails over a
// carriage return or a backspace in a text that is not all ASCII, passes over
// display updates, and clears at once where that should wait.
func special(ev kernel.Event) bool {
	switch e := ev.(type) {
	case kernel.Stream:
		return strings.ContainsAny(e.Text, "\r\b")
	case kernel.Display:
		return e.Update
	case kernel.ClearOutput:
		return true
	}
	return false
}

// suitsServer reports whether output was left out by the server that
// jupyter-server-nbmodel would have written well.
func (w *outputWriter) suitsServer() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outs.dropped && !w.outs.special
}

// serverAdvice is said of a run whose output was cut by the server's limits
// where the server has what is not held to them, "" where it has not.
func (d *Document) serverAdvice() string {
	if d.m.Apart() {
		return ""
	}
	ctx, stop := context.WithTimeout(d.ctx, finishTimeout)
	defer stop()
	d.kernel.mu.Lock()
	id := d.kernel.id
	d.kernel.mu.Unlock()
	if has, err := d.m.cfg.Kernels.HasServerRuns(ctx, id); err != nil || !has {
		return ""
	}
	return "this server's jupyter-server-nbmodel would run the cell without these limits: start nbduet with --execute server for that"
}
