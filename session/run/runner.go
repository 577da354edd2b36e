package run

import "github.com/nbduet/nbduet/session/output"

// A Runner is one way to run a cell.
type Runner interface {
	// Run executes the source of the run's cell, and follows it to the end. Outputs go to the writer. The error is why
	// the run was lost or cancelled.
	Run(r *Run, source string, w *output.Writer) (State, error)
}

// runner returns the Runner of a way.
func (c *Cells) runner(by By) Runner {
	switch by {
	case Nbmodel:
		return byNbmodel{c}
	case Documents:
		return byDocuments{c}
	}
	return byKernel{c}
}
