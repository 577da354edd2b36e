package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

type executeCellArgs struct {
	either
	cellName
	ID      string `json:"session_id"`
	Stream  *bool  `json:"stream"`
	Seconds *int   `json:"timeout_seconds"`
}

// used are the options for a call without a session.
func (a executeCellArgs) used() usedRun {
	u := a.either.used()
	u.Stream = a.Stream
	if u.Timeout == nil {
		u.Timeout = a.Seconds
	}
	return u
}

// executeCell makes execute_cell.
func executeCell(p *parts) tool {
	d := p.deps
	return tool{
		name:    "execute_cell",
		title:   "Run a cell",
		toolset: toolsetCells,
		also:    []string{toolsetDatalayer, toolsetToday},
		description: "Runs one code cell of the notebook of an analysis session, named by its index or its id, and returns what it printed, its value, and its images as execute_code does. " +
			"Use it to run a cell as it is; its old outputs are replaced. Costs the time the cell takes, at most timeout seconds, and up to maxOutputSize characters; a cell that takes longer goes on running. " +
			"Without session_id it is a cell of the notebook made current by use_notebook, which is interrupted at the timeout, and the answer is a list of texts and images.",
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append(append([]property{
			optional("session_id", sessionIDSchema().orNull()),
			optional("cell_index", integer("Index of the cell, from 0. Needed unless cell_id is given.").between(0, maxIndex).orNull()),
			optional("cell_id", idSchema("Id of the cell, in place of cell_index.").orNull()),
		}, codeProperties(0)...),
			optional("stream", boolean("Without a session: whether to add lines on the time that it took.").def(true)),
			optional("timeout_seconds", integer("The same as timeout, for a call without a session.").between(0, longestGiven).orNull()),
		)...),
		output: eitherSchema(),
		handle: typed(func(ctx context.Context, args executeCellArgs) (*answer, error) {
			if args.ID == "" {
				name := usedCell{Index: args.Index, CellID: args.CellID}
				return p.theirs.runUsedCell(ctx, name, args.used().watch("cell.execute", usualTimeout), args.codeOptions)
			}
			if err := errors.Join(args.either.check(), args.cellName.check()); err != nil {
				return nil, err
			}
			a, doc, err := d.sessionNotebook(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if doc == nil {
				return nil, analysisError(fmt.Errorf("session %s: %w", a.ID(), session.ErrNoNotebook))
			}
			defer doc.Release()
			cell, err := args.find(doc)
			switch {
			case err != nil:
				return nil, err
			case cell.Type != ydoc.Code:
				return nil, fmt.Errorf("cell %s is a %s cell: only code cells can be run", quoted(cell.ID), cell.Type)
			}
			return d.runCell(ctx, a, doc, cell.ID, args.codeOptions)
		}),
	}
}
