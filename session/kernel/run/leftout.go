package run

import (
	"fmt"

	"github.com/nbduet/nbduet/session/textfmt"
)

// ErrNothingLeftOut reports that a run's cell has all of its output.
var ErrNothingLeftOut = textfmt.Fixed("no text was left out of the notebook")

// LeftOut returns the text that was left out of the run's cell: at most n characters from offset on. total is the number of
// characters so far. The text is kept as long as the run's outputs, unless later runs exceed the limit for all runs; the
// text marks missing parts. It has stdout and stderr in order of arrival.
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

// dropLeftOut drops that text.
func (r *Run) dropLeftOut() {
	r.mu.Lock()
	left := r.left
	r.mu.Unlock()
	left.Drop()
}
