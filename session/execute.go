package session

import "context"

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

// serverAdvice is said of a run whose output was cut by the server's limits
// where the server has what is not held to them, "" where it has not.
func (d *Document) serverAdvice() string {
	if d.m.Apart() {
		return ""
	}
	ctx, stop := context.WithTimeout(d.ctx, finishTimeout)
	defer stop()
	id := d.kernel.KernelID()
	if has, err := d.m.cfg.Kernels.HasServerRuns(ctx, id); err != nil || !has {
		return ""
	}
	return "this server's jupyter-server-nbmodel would run the cell without these limits: start nbduet with --execute server for that"
}
