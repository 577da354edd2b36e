package deps

import (
	"context"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/waiting"
)

// Outcome returns the current state of a run. doc is the notebook of its cell, nil if it is not open.
func (d *Deps) Outcome(ctx context.Context, r *run.Run, doc *session.Document) waiting.Outcome {
	o := d.OutcomeOf(ctx, r)
	o.NewSet, o.From = d.Images.Sets(ctx), d.OfRun(ctx, r, o.Count)
	if doc == nil {
		return o
	}
	if cell, ok := doc.Notebook().Cell(r.CellID); ok {
		o.From = d.Images.OfCell(ctx, doc, cell)
		o.From.Count = o.Count
	}
	return o
}

// OutcomeOfCode is Outcome for code that runs outside a notebook.
func (d *Deps) OutcomeOfCode(ctx context.Context, r *run.Run, code string) waiting.Outcome {
	o := d.OutcomeOf(ctx, r)
	o.NewSet, o.From = d.Images.Sets(ctx), d.Images.OfCode(r, code)
	o.From.Count = o.Count
	return o
}
