package session

import (
	"errors"
	"fmt"
)

// leftOut is where the text can be read that a run has put out beyond what its
// cell holds.
type leftOut struct {
	spool *spool // nil for no such text
	tail  string // the end of it
}

func (o *outputs) leftOut() leftOut {
	if o.spool == nil {
		return leftOut{}
	}
	return leftOut{o.spool, fold(o.restText())}
}

// ErrNothingLeftOut says that a run's cell holds all that the run has put out.
var ErrNothingLeftOut = errors.New("no text was left out of the notebook")

// LeftOut reads the text that the run's cell did not get: at most n characters
// from the offset-th on. total is how many there are, so far. It is there as
// long as the run's outputs are remembered, unless later runs have left out
// more than is kept for all; where a part is missing, the text says so. stdout
// and stderr stand in it as they came.
func (r *Run) LeftOut(offset, n int) (text string, total int, err error) {
	r.mu.Lock()
	left := r.res.left
	if r.writer != nil {
		left = r.writer.leftOut()
	}
	r.mu.Unlock()
	if left.spool == nil {
		return "", 0, fmt.Errorf("run %s: %w", r.ID, ErrNothingLeftOut)
	}
	if text, total, err = left.spool.page(offset, n, left.tail); err != nil {
		return "", 0, fmt.Errorf("run %s: %w", r.ID, err)
	}
	return text, total, nil
}

// dropLeftOut lets go of that text.
func (r *Run) dropLeftOut() {
	r.mu.Lock()
	s := r.res.left.spool
	r.mu.Unlock()
	s.drop()
}
