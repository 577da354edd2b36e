package run

import "github.com/nbduet/nbduet/session/output"

// A Runner is one way to run a cell.
type Runner interface {
	// Run has the source of the run's cell run, and follows it until it has ended. What it puts out goes to the writer.
	// The error is why the run was lost or cancelled.
	Run(r *Run, source string, w *output.Writer) (State, error)
}

// runner gives one of the ways.
func (c *Cells) runner(by By) Runner {
	switch by {
	case Nbmodel:
		return byNbmodel{c}
	case Documents:
		return byDocuments{c}
	}
	return byKernel{c}
}
