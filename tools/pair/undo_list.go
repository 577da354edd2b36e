package pair

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type listEditsArgs struct {
	Path string `json:"path" jsonschema:"Notebook or text document." validate:"min=1,max=path"`
}

// A ListEditsResult is the answer of list_agent_edits.
type ListEditsResult struct {
	Message string     `json:"message,omitempty" jsonschema:"Why the list is empty."`
	Steps   []StepView `json:"steps" jsonschema:"Latest first; then the undone ones, the next to redo first."`
}

// A StepView is a step as a client sees it.
type StepView struct {
	StepName
	SecondsAgo int      `json:"seconds_ago"`
	CellIDs    []string `json:"cell_ids,omitempty" jsonschema:"Cells it changed."`
	Ran        []string `json:"ran_cell_ids,omitempty" jsonschema:"Cells you ran since."`
	Undone     bool     `json:"undone,omitempty" jsonschema:"It was undone, and can be redone until your next edit."`
}

// listAgentEdits makes list_agent_edits.
func listAgentEdits(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "list_agent_edits",
		Title:       "List own edits",
		Description: "Lists your edits of a document, call by call: the steps that can be undone, with tool, reason and cells, and the undone ones that can be redone.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.DocumentResultOf[ListEditsResult](nil),
		Call: tool.Typed(func(ctx context.Context, args listEditsArgs) (*tool.Answer, error) {
			doc, err := open(ctx, d, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			steps := doc.StepsOf(origin.Of(ctx))
			out := &ListEditsResult{Steps: []StepView{}}
			for _, s := range steps.List(ctx) {
				out.Steps = append(out.Steps, viewOf(s))
			}
			if len(out.Steps) == 0 {
				out.Message = nothingToUndo(ctx, doc, steps)
			}
			return &tool.Answer{Body: out, Doc: doc, Words: out.words(ctx, doc)}, nil
		}),
	}
}

func viewOf(s undo.Step) StepView {
	return StepView{StepName{s.ID, s.Tool, s.Reason}, int(time.Since(s.At).Seconds()), s.Cells, s.Ran, s.Undone}
}

// words returns a line for each step.
func (r *ListEditsResult) words(ctx context.Context, doc *session.Document) func() plaintext.Text {
	if len(r.Steps) == 0 {
		return tool.Words(ctx, func() plaintext.Text { return plaintext.Text{First: r.Message} })
	}
	write := func(names func(ids ...string) string) plaintext.Text {
		lines := lo.Map(r.Steps, func(s StepView, _ int) string { return s.line(names) })
		return plaintext.Text{First: textfmt.Plural(len(lines), "step") + " of yours, latest first", Tail: new(strings.Join(lines, "\n"))}
	}
	if doc.Notebook() == nil {
		return tool.Words(ctx, func() plaintext.Text { return write(func(...string) string { return "" }) })
	}
	return target.CellWords(ctx, doc, func(roll *target.Roll) plaintext.Text { return write(roll.Names) })
}

// cellsNamed is the maximum number of a step's cells that a line names.
const cellsNamed = 8

// line returns the step in one line.
func (s StepView) line(names func(ids ...string) string) string {
	some := func(ids []string) string {
		if n := len(ids) - cellsNamed; n > 0 {
			return names(ids[:cellsNamed]...) + fmt.Sprintf(" and %d more", n)
		}
		return names(ids...)
	}
	parts := []string{s.Step + " " + s.Tool, (time.Duration(s.SecondsAgo) * time.Second).String() + " ago"}
	if len(s.CellIDs) > 0 {
		parts = append(parts, some(s.CellIDs))
	}
	if len(s.Ran) > 0 {
		parts = append(parts, "ran "+some(s.Ran))
	}
	if s.Undone {
		parts = append(parts, "undone")
	}
	line := strings.Join(parts, ", ")
	if s.Reason != "" {
		line += ": " + s.Reason
	}
	return plaintext.Line(line)
}
