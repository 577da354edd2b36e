package run

import (
	"context"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/textfmt"
)

// ErrLeft is the error of a run whose notebook was left while its code ran.
var ErrLeft = textfmt.Fixed("the session of its notebook was ended: the code goes on in the kernel, and the run is taken up when the notebook is opened again")

// marked records under which ids a run's code is sent to the kernel.
func (r *Run) marked(m kernel.Mark) {
	if r.record == nil {
		return
	}
	r.record.Mark = m
	rec := *r.record
	r.table.ledger("keep", func(ctx context.Context, l Ledger) error { return l.Keep(ctx, rec) })
}

// unkeep settles the record of a run that ends here: another process may take the run up, or it is over.
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
