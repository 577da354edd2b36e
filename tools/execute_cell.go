package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/datalayer"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type executeCellArgs struct {
	inSessionOrNot
	analysis.CellName
	either
	Stream  *bool `json:"stream,omitempty" jsonschema:"Without a session: whether to add progress lines." default:"true"`
	Seconds *int  `json:"timeout_seconds,omitempty" jsonschema:"The same as timeout, for a call without a session." validate:"max=1000000,null"`
}

// Refine implements tool.Refiner.
func (executeCellArgs) Refine(f tool.Fields) {
	f.Field("cell_index").Null()
	f.Field("cell_id").Null()
	sayTimeout(f, 0)
}

// used returns the options for a call without a session.
func (a executeCellArgs) used() datalayer.UsedRun {
	u := a.either.used()
	u.Stream = a.Stream
	u.Timeout = cmp.Or(u.Timeout, a.Seconds)
	return u
}

// Check refuses, for a call with a session, arguments that only apply without one.
func (a executeCellArgs) Check() error {
	if a.ID == "" {
		return nil
	}
	return errors.Join(a.either.check(), a.CellName.Check())
}

// executeCell makes execute_cell.
func executeCell(p *parts) tool.Tool {
	d := p.Deps
	return tool.Tool{
		Name:        "execute_cell",
		Title:       "Run a cell",
		Toolset:     tool.ToolsetCells,
		Also:        []string{tool.ToolsetDatalayer, tool.ToolsetToday},
		Description: "Runs one code cell as it is, and returns its printed output, value and images. With session_id the cell is in that session's notebook and continues after timeout seconds; without, it is in the current notebook and is interrupted, and the answer is a list of texts and images.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      eitherSchema(),
		Call: tool.Typed(func(ctx context.Context, args executeCellArgs) (*tool.Answer, error) {
			if args.ID == "" {
				name := datalayer.UsedCell{Index: args.Index, CellID: args.CellID}
				return p.datalayer.RunUsedCell(ctx, name, args.used().Watch("cell.execute", datalayer.UsualTimeout), args.CodeOptions)
			}
			a, doc, err := d.SessionNotebook(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if doc == nil {
				return nil, deps.NoNotebook(a)
			}
			defer doc.Release()
			cell, err := args.Find(doc, target.ViewToRun(ctx, doc))
			switch {
			case err != nil:
				return nil, err
			case cell.Type != ydoc.Code:
				return nil, fmt.Errorf("cell %s is a %s cell: only code cells can be run", textfmt.Quoted(cell.ID), cell.Type)
			}
			return analysis.RunCell(ctx, d, a, doc, cell.ID, args.CodeOptions)
		}),
	}
}
