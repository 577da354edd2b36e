package waiting

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/render"
)

// An Outcome is the state of a run when its call stopped waiting. The answers of all contracts are made from it.
type Outcome struct {
	run.Result
	ID, CellID string
	Input      *Input  // see [InputOf]
	Behind     *Behind // see [Waits.Behind]
	// HowToAnswer is [Waits.HowToAnswer].
	HowToAnswer string
	NewSet      func(expected int) *render.ImageSet // makes one for each rendering
	From        images.Origin                       // of its images
}

// OutcomeOf returns the outcome of a run so far, without NewSet and From.
func (w Waits) OutcomeOf(ctx context.Context, r *run.Run) Outcome {
	res := r.Result()
	return Outcome{
		Result: res, ID: r.ID, CellID: r.CellID, Input: InputOf(res), Behind: w.Behind(ctx, r), HowToAnswer: w.HowToAnswer(r.ID, res),
	}
}

// QueuedBehind says which run this run waits for, and how to wait for this run, which the answer calls what; "" if it is not
// queued, or the run before it is unknown.
func (o Outcome) QueuedBehind(what string) string {
	if o.State != run.Queued || o.Behind == nil {
		return ""
	}
	return o.Behind.Says() + textfmt.Hint(fmt.Sprintf("; wait_run with run_id %q waits for %s", o.ID, what))
}

// Notes returns further facts for the caller, such as that output is missing.
func (o Outcome) Notes() []string {
	return o.NotesWorded("output is missing, because more came at once than the Jupyter server passes on",
		"%s bytes of output were left out"+textfmt.Hint("; get_run with output -1 pages through their text"))
}

// NotesWorded is Notes with other words for output that the server dropped, and for the number of bytes that the cell leaves
// out.
func (o Outcome) NotesWorded(dropped, omitted string) (out []string) {
	if o.Note != "" {
		out = append(out, o.Note)
	}
	if o.Dropped {
		out = append(out, dropped)
	}
	if o.Omitted > 0 {
		out = append(out, fmt.Sprintf(omitted, textfmt.Thousands(o.Omitted)))
	}
	if o.Figures > 0 {
		out = append(out, render.FiguresLeftOut(o.Figures))
	}
	return out
}
