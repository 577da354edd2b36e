package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// A refusal ends a run that the server did not accept: if the server refused it, the cell gets its outputs and count back.
type refusal func(err error) (State, error)

// handOver removes the earlier run from a cell that the server is about to execute, once its kernel has been found. The
// server writes into the cell as soon as it has the request, so this cannot wait until the kernel has begun.
func (c *Cells) handOver(ctx context.Context, r *Run, w *output.Writer) (refusal, error) {
	var before ydoc.Cell
	err := c.nb.Edit(ctx, "run", func(e *ydoc.Editor) error {
		before, _ = e.Cell(r.CellID)
		return e.StartRun(r.CellID)
	})
	back := func(e *ydoc.Editor) error {
		return errors.Join(e.SetOutputs(r.CellID, before.Outputs), e.FinishRun(r.CellID, before.ExecutionCount))
	}
	if err != nil {
		if errors.As(err, new(Unconfirmed)) {
			err = errors.Join(err, c.nb.Notebook().Edit("run", back)) // both edits reach the room when possible
		}
		return nil, err
	}
	w.Mirror(nil, nil)
	return func(err error) (State, error) {
		var answer *jupyter.Error
		if !errors.As(err, &answer) || answer.Status == 0 {
			return Lost, err // the server may have accepted it anyway
		}
		ctx, stop := c.late(err)
		defer stop()
		w.Leave()
		return Cancelled, errors.Join(fmt.Errorf("not run: %w", err), c.nb.Edit(ctx, "run", back))
	}, nil
}
