package notebook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

// CancelTime is how long cancel_run waits for the code to end.
const CancelTime = 5 * time.Second

type cancelRunArgs struct {
	RunID string `json:"run_id,omitempty" jsonschema:"From the answer of the call that ran the cell." validate:"max=40"`
	Path  string `json:"path,omitempty" jsonschema:"In place of run_id: the notebook whose running cell to stop, if a person or another agent started it." validate:"max=path"`
	Asked bool   `json:"user_asked,omitempty" jsonschema:"With path, required: your user asked to stop that cell." default:"false"`
	OutputSize
}

// A StoppedCell is the answer of cancel_run about a cell that another started.
type StoppedCell struct {
	CellID  string `json:"cell_id"`
	Ended   bool   `json:"ended" jsonschema:"Whether the cell has ended."`
	Message string `json:"message"`
}

// cancelRun makes cancel_run.
func cancelRun(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "cancel_run",
		Title: "Cancel a run",
		Description: "Cancels a queued execution of a cell, or interrupts the kernel for a running one, as the stop button does. " +
			"With path and user_asked, for a cell that a person started. Variables stay. Takes a few seconds at most; an ended run is only shown.",
		Hints:  tool.Hints{Idempotent: true, Destructive: true},
		Output: tool.EitherOf(tool.ResultOf[RunView](nil), tool.ResultOf[StoppedCell](nil)),
		Call: tool.Typed(func(ctx context.Context, args cancelRunArgs) (*tool.Answer, error) {
			switch {
			case args.RunID == "" && args.Path == "":
				return nil, errors.New("run_id is missing: give the run to cancel, or path for the running cell of a notebook")
			case args.RunID == "":
				return cancelCell(ctx, d, args)
			}
			r, err := findRun(ctx, d, args.RunID)
			if err != nil {
				return nil, err
			}
			if err := r.Cancel(ctx); err != nil {
				return nil, fmt.Errorf("cancel run %s: %w", r.ID, err)
			}
			wait, stop := context.WithTimeout(ctx, CancelTime)
			defer stop()
			_ = r.Wait(wait) // code may take longer to stop; the state shows it
			return answerRun(ctx, d, r, args.Size())
		}),
	}
}

// cancelCell interrupts the kernel of a notebook for a cell that another client of the room has run.
func cancelCell(ctx context.Context, d *deps.Deps, args cancelRunArgs) (*tool.Answer, error) {
	doc, err := d.Open(ctx, args.Path)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	for _, r := range d.Manager.RunTable().Runs(doc.Path()) {
		if now := r.Status(); now.Begun && !now.State.Ended() { // others wait behind the cell that is to be stopped
			if !Visible(ctx, r) {
				return nil, errors.New("the kernel runs the code of another client of this program, which only that client can cancel")
			}
			return nil, fmt.Errorf("the kernel runs your own %s"+textfmt.Hint(": cancel_run with run_id %q stops it"), r.ID, r.ID)
		}
	}
	running := runningCells(d.Manager, doc)
	switch roll := target.RollOf(ctx, doc); {
	case len(running) == 0:
		return nil, fmt.Errorf("no cell is running in %s: nothing was interrupted", doc.Path())
	case !args.Asked:
		return nil, fmt.Errorf("cell %s was started by a person or another agent, so it is theirs to stop: ask your user, and give user_asked true if they want it stopped", roll.Names(running...))
	}
	wait, stop := context.WithTimeout(ctx, CancelTime)
	defer stop()
	name := d.Manager.Presence.Clients().Of(tool.ClientOf(ctx)).Name
	cell, ended, err := stopCell(wait, d.Manager, doc, running, "\n["+name+" interrupted this cell, as its user asked]\n")
	if cell == "" && err != nil {
		return nil, err
	}
	target.Touch(ctx, doc, cell)
	out := StoppedCell{CellID: cell, Ended: ended}
	switch {
	case err != nil:
		out.Message = "interrupted; the note about it could not be written into the cell: " + err.Error()
	case ended:
		out.Message = "interrupted; a note in the cell says so"
	default:
		out.Message = "the kernel was interrupted, but the code has not ended within " + CancelTime.String() + textfmt.Hint("; restart_nb_kernel ends it, with the loss of all variables")
	}
	return &tool.Answer{Body: &out, Words: target.CellWords(ctx, doc, func(roll *target.Roll) plaintext.Text {
		return plaintext.Text{First: "cell " + roll.Names(cell) + ": " + out.Message}
	})}, nil
}

// runningCells returns the ids of the cells that are shown as running, or as waiting for the kernel, and that no run of this
// program has marked.
func runningCells(m *session.Manager, doc *session.Document) (ids []string) {
	ours := run.CellIDs(slices.DeleteFunc(m.RunTable().Runs(doc.Path()), func(r *run.Run) bool { return r.Status().State.Ended() }))
	for _, c := range doc.Notebook().Cells() {
		if c.ExecutionState == ydoc.Running && !slices.Contains(ours, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// stopCell interrupts the kernel for one of those cells, waits until the context ends for a cell to end, and writes a note into
// it. It returns that cell, and false if none has ended yet.
func stopCell(ctx context.Context, m *session.Manager, doc *session.Document, running []string, note string) (cell string, ended bool, err error) {
	kernel, ok, err := m.Kernel(ctx, doc.Path())
	if err == nil && !ok {
		err = errors.New("it has none")
	}
	changed := make(chan struct{}, 1)
	stop := m.Observe(func(e session.Event) {
		if e.Document == doc {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	})
	defer stop()
	if err == nil {
		err = m.Servers().Runtime.Kernels.Interrupt(ctx, kernel.ID)
	}
	if err != nil {
		return "", false, fmt.Errorf("interrupt the kernel of %s: %w", doc.Path(), err)
	}
	for cell, ended = stopped(doc.Notebook(), running); !ended; cell, ended = stopped(doc.Notebook(), running) {
		select {
		case <-changed:
		case <-ctx.Done():
			return running[0], false, nil
		}
	}
	// As output, it is neither a step for undo nor refused beside a person who types.
	ctx = origin.With(context.WithoutCancel(ctx), origin.Author{Client: origin.Of(ctx).Client})
	err = doc.Edit(ctx, "note the interrupt", func(e *ydoc.Editor) error { return e.AppendStream(cell, "stderr", note) })
	return cell, true, err
}

// stopped returns the first of the cells that is not running any more; one with an error at its end before others, because
// the kernel drops the cells that wait behind the interrupted one.
func stopped(nb *ydoc.Notebook, cells []string) (id string, ok bool) {
	for _, one := range cells {
		switch c, there := nb.Cell(one); {
		case !there || c.ExecutionState == ydoc.Running:
		case len(c.Outputs) > 0 && c.Outputs[len(c.Outputs)-1].Type() == "error":
			return one, true
		case !ok:
			id, ok = one, true
		}
	}
	return id, ok
}
