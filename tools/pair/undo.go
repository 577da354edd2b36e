package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type undoArgs struct {
	Path  string `json:"path" jsonschema:"Notebook or text document." validate:"min=1,max=path"`
	Step  string `json:"step,omitempty" jsonschema:"Only this step." validate:"max=20"`
	Count *int   `json:"count,omitempty" jsonschema:"Or how many of your last steps." validate:"min=1,max=1000"`
	Task  bool   `json:"task,omitempty" jsonschema:"Or your last task."`
}

type redoArgs struct {
	Path  string `json:"path" jsonschema:"Notebook or text document." validate:"min=1,max=path"`
	Count *int   `json:"count,omitempty" jsonschema:"How many." validate:"min=1,max=1000"`
}

// An UndoResult is the answer of undo_agent and redo_agent.
type UndoResult struct {
	Message string     `json:"message"`
	Steps   []StepName `json:"steps" jsonschema:"The undone or redone steps, in that order."`
	CellIDs []string   `json:"cell_ids" jsonschema:"Cells that this changed, deleted or restored. Read them again before you change them."`
	Left    []LeftCell `json:"left,omitempty" jsonschema:"Where something was left unchanged."`
	Ran     []string   `json:"ran_cell_ids,omitempty" jsonschema:"Cells of these steps that you ran: runs are not undone."`
	// Revision is that of a notebook.
	Revision string `json:"revision,omitempty" changes:"the notebook"`

	shown []ydoc.Cell
	fewer string // why there are fewer steps than requested
}

// A StepName names a step.
type StepName struct {
	Step   string `json:"step"`
	Tool   string `json:"tool"`
	Reason string `json:"reason,omitempty"`
}

// A LeftCell is a cell in which something was left unchanged.
type LeftCell struct {
	CellID string `json:"cell_id,omitempty"`
	Why    string `json:"why"`
}

// undoAgent makes undo_agent.
func undoAgent(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "undo_agent",
		Title:       "Undo own edits",
		Description: "Undoes your last edit of a document, the last count edits, or one earlier edit (everything one call changed). Text that people typed since stays, and so do runs and their outputs; the answer lists what was left and why.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[UndoResult](nil),
		Call: tool.Typed(func(ctx context.Context, args undoArgs) (*tool.Answer, error) {
			if lo.Count([]bool{args.Step != "", args.Count != nil, args.Task}, true) > 1 {
				return nil, errors.New("more than one of step, count and task is given: give one of them; nothing was changed")
			}
			n := tool.ValueOr(args.Count, 1)
			return revise(ctx, d, args.Path, "undid", n, func(s undo.Steps) (undo.Outcome, error) {
				switch {
				case args.Step != "":
					return s.UndoStep(ctx, args.Step)
				case args.Task:
					return s.Undo(ctx, max(1, s.Task(ctx)))
				}
				return s.Undo(ctx, n)
			}, nothingToUndo)
		}),
	}
}

// redoAgent makes redo_agent.
func redoAgent(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "redo_agent",
		Title:       "Redo own edits",
		Description: "Redoes your last undone edit of a document, or the last count of them, until your next edit of it.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[UndoResult](nil),
		Call: tool.Typed(func(ctx context.Context, args redoArgs) (*tool.Answer, error) {
			n := tool.ValueOr(args.Count, 1)
			return revise(ctx, d, args.Path, "redid", n, func(s undo.Steps) (undo.Outcome, error) { return s.Redo(ctx, n) }, nothingToRedo)
		}),
	}
}

// revise undoes, or redoes, up to want steps of a call's client.
func revise(ctx context.Context, d *deps.Deps, path, did string, want int, do func(undo.Steps) (undo.Outcome, error), nothing func(context.Context, *session.Document, undo.Steps) string) (*tool.Answer, error) {
	doc, err := open(ctx, d, path)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	client := tool.ClientOf(ctx)
	steps := doc.StepsOf(origin.Of(ctx))
	target.TouchLater(ctx, doc)
	o, err := do(steps)
	if errors.As(err, new(*undo.UnknownError)) {
		return nil, fmt.Errorf("%w; %s", err, beginning(doc, steps))
	}
	out := &UndoResult{Steps: []StepName{}, CellIDs: []string{}}
	switch {
	case errors.Is(err, undo.ErrNothing):
		out.Message = nothing(ctx, doc, steps)
		return &tool.Answer{Body: out, Doc: doc, Words: out.words(ctx, doc, "")}, nil
	case err != nil:
		return nil, err
	}
	for _, s := range o.Steps {
		out.Steps = append(out.Steps, StepName{s.ID, s.Tool, s.Reason})
	}
	out.CellIDs = append(out.CellIDs, o.Cells...)
	if doc.Notebook() != nil {
		out.Revision = target.Revision(target.Now(doc))
	}
	target.Touch(ctx, doc, o.Cells...)
	out.Left, out.Ran = leftOf(o), o.Ran()
	out.Message = fmt.Sprintf("Successfully %s %s", did, textfmt.Plural(len(o.Steps), "step"))
	if len(o.Steps) < want {
		out.fewer = fmt.Sprintf("there were only %d: %s", len(o.Steps), beginning(doc, steps))
		out.Message += "; " + out.fewer
	}
	if tool.InWords(ctx) {
		out.shown = short(doc, o.Cells)
		doc.As(client).Show(out.shown...)
	}
	return &tool.Answer{Body: out, Doc: doc, Words: out.words(ctx, doc, did)}, nil
}

// open opens a text or a notebook. A document that is already open is found without asking the server, which may be away.
func open(ctx context.Context, d *deps.Deps, path string) (*session.Document, error) {
	clean, err := document.PathArg("path", path)
	if err != nil {
		return nil, err
	}
	held := d.Manager.HoldUnder(func(p jupyter.Path) bool { return p == clean })
	if len(held) == 0 {
		return document.Open(ctx, d, path)
	}
	defer held[0].Release()
	if held[0].Notebook() != nil {
		return d.OpenAt(ctx, clean)
	}
	return d.Manager.OpenText(ctx, clean)
}

// leftOf lists the parts that an undo has left, and why.
func leftOf(o undo.Outcome) (left []LeftCell) {
	add := func(ids []string, why string) {
		left = append(left, lo.Map(ids, func(id string, _ int) LeftCell { return LeftCell{id, why} })...)
	}
	add(o.Kept, "someone else has written there, or replaced or locked it since")
	add(o.Gone, "someone else has deleted or moved the cell since")
	add(o.Cut, "someone else has cut your text there; it stays where they pasted it")
	add(o.Bare, "restored without its outputs and attachments, which are not kept after the notebook was closed")
	if o.Missed && len(o.Gone)+len(o.Kept) == 0 {
		left = append(left, LeftCell{Why: "something could not be restored, because its place is gone"})
	}
	return left
}

// shownSources is the maximum size of the changed cells that an answer shows, in bytes: longer ones are read when needed.
const shownSources = 800

// short returns the changed cells that exist, nil if they are too long to be shown.
func short(doc *session.Document, ids []string) (cells []ydoc.Cell) {
	nb := doc.Notebook()
	if nb == nil {
		return nil
	}
	n := 0
	for _, c := range nb.Cells() {
		if !slices.Contains(ids, c.ID) {
			continue
		}
		cells = append(cells, c)
		if n += len(datauri.Short(c.Source)) + 20; n > shownSources {
			return nil
		}
	}
	return cells
}

// nothingToUndo says why a client has nothing to undo.
func nothingToUndo(ctx context.Context, doc *session.Document, steps undo.Steps) string {
	undone := len(steps.List(ctx)) > 0
	switch where := textfmt.Quoted(doc.Path().String()); {
	case undone && steps.Journaled():
		return "all your edits in " + where + " are undone"
	case undone:
		return "all your edits in " + where + " since it " + sinceWhen(steps) + " are undone"
	case steps.Journaled():
		return "no edit of yours can be undone: you made no edits of the last 30 days in " + where
	}
	return "no edit of yours can be undone: " + beginning(doc, steps) + ", and you have edited nothing since"
}

// beginning says when the recorded history of a document begins.
func beginning(doc *session.Document, steps undo.Steps) string {
	if steps.Journaled() {
		return textfmt.Quoted(doc.Path().String()) + " has no other edits of yours of the last 30 days"
	}
	return textfmt.Quoted(doc.Path().String()) + " " + sinceWhen(steps) + ", the earlier history is gone"
}

func nothingToRedo(_ context.Context, doc *session.Document, steps undo.Steps) string {
	where, since := textfmt.Quoted(doc.Path().String()), ""
	if !steps.Journaled() {
		where, since = where+", which "+sinceWhen(steps), " since"
	}
	return "no edit of yours can be redone in " + where + ": only edits that you undid" + since + ", with no new edit after that, can be"
}

// sinceWhen says how and when the history of a document began.
func sinceWhen(steps undo.Steps) string {
	at, why := steps.Since()
	what := "was opened here"
	switch why {
	case undo.JoinedAfresh:
		what = "was rejoined"
	case undo.Reloaded:
		what = "was reloaded from its file"
	}
	return what + " at " + at.Format("15:04:05")
}
