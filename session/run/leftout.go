package run

import (
	"fmt"
)

// ErrNothingLeftOut says that a run's cell holds all that the run has put out.
var ErrNothingLeftOut error = fixedError("no text was left out of the notebook")

// LeftOut reads the text that the run's cell did not get: at most n characters from the offset-th on. total is how many
// there are, so far. It is there as long as the run's outputs are remembered, unless later runs have left out more than
// is kept for all; where a part is missing, the text says so. stdout and stderr stand in it as they came.
func (r *Run) LeftOut(offset, n int) (text string, total int, err error) {
	r.mu.Lock()
	left := r.left
	if r.writer != nil {
		left = r.writer.LeftOut()
	}
	r.mu.Unlock()
	if left.Empty() {
		return "", 0, fmt.Errorf("run %s: %w", r.ID, ErrNothingLeftOut)
	}
	if text, total, err = left.Page(offset, n); err != nil {
		return "", 0, fmt.Errorf("run %s: %w", r.ID, err)
	}
	return text, total, nil
}

// dropLeftOut lets go of that text.
func (r *Run) dropLeftOut() {
	r.mu.Lock()
	left := r.left
	r.mu.Unlock()
	left.Drop()
}
