package run

import (
	"context"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/textfmt"
)

// ErrLeft is the error of a run whose notebook was closed while its code ran.
var ErrLeft = textfmt.Fixed("the session of its notebook was ended: the code keeps running in the kernel, and the run resumes when the notebook is reopened")

// marked records the ids under which a run's code is sent to the kernel.
func (r *Run) marked(m kernel.Mark) {
	if r.record == nil {
		return
	}
	r.record.Mark = m
	rec := *r.record
	r.table.ledger("keep", func(ctx context.Context, l Ledger) error { return l.Keep(ctx, rec) })
}

// unkeep finishes the record of a run that ends here: if left, another process may take the run up; else the record is
// dropped.
func (r *Run) unkeep(left bool) {
	if r.record == nil {
		return
	}
	r.table.ledger("end", func(ctx context.Context, l Ledger) error {
		if left {
			return l.Leave(ctx, r.ID)
		}
		return l.Drop(ctx, r.ID)
	})
}
