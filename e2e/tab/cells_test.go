package tab_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
)

// changedCell is the answer of the tools that make or change a cell.
type changedCell struct {
	CellID string `json:"cell_id"`
	Index  *int   `json:"cell_index"`
}

// shows waits until the notebook's cells in the tab have these sources.
func (p *person) shows(what string, sources ...string) {
	p.T.Helper()
	must.NoError(p.T, p.WaitView(p.T.Context(), what, func(cells []browser.ViewCell) error {
		var got []string
		for _, c := range cells {
			got = append(got, c.Source)
		}
		if !slices.Equal(got, sources) {
			return fmt.Errorf("%q, want %q", got, sources)
		}
		return nil
	}))
}

// A session's new notebook is opened in a tab, and every cell that is added, changed, moved or deleted through its tools
// is seen there at once, beside the person's edits.
func TestAC4NotebookIsSeenInTheTab(t *testing.T) {
	ctx := t.Context()
	own := kit.NewNotebook(t, kit.Code("1 + 1"))
	nbduet := kit.StartAgent(t, "--toolsets=analysis,cells")
	name := fmt.Sprintf("%s-made-%d", t.Name(), time.Now().UnixNano()) // it may not exist
	var s kit.Analysis
	_, err := nbduet.Do(ctx, "session_create", map[string]any{"notebook_path": own}, &s)
	must.NoError(t, err)
	var made struct {
		Path    string
		CellIDs []string `json:"cell_ids"`
	}
	_, err = nbduet.Do(ctx, "notebook_create", map[string]any{"session_id": s.SessionID, "name": name, "cells": []map[string]any{
		{"cell_type": "markdown", "source": "Titel 日本"}, {"cell_type": "code", "source": "x = 6"},
	}}, &made)
	must.NoError(t, err)
	must.Eq(t, name+".ipynb", made.Path)
	must.SliceLen(t, 2, made.CellIDs)
	t.Cleanup(func() {
		if err := kit.Jupyter(t).EndKernel(context.Background(), made.Path); err != nil {
			t.Error(err)
		}
	})
	do := func(tool string, args map[string]any) (out changedCell) {
		t.Helper()
		args["session_id"], args["notebook_name"] = s.SessionID, name
		_, err := nbduet.Do(ctx, tool, args, &out)
		must.NoError(t, err)
		return out
	}
	tab := open(t, made.Path)
	dialog, err := tab.Dialog(ctx)
	must.NoError(t, err)
	test.Eq(t, "", dialog)
	tab.shows("the notebook", "Titel 日本", "x = 6")

	added := do("notebook_add_cell", map[string]any{"cell_type": "code", "source": "print(x * 7)"})
	tab.shows("the new cell", "Titel 日本", "x = 6", "print(x * 7)")
	top := do("notebook_add_cell", map[string]any{"cell_type": "markdown", "source": "the top", "position": 0})
	tab.shows("the cell at the top", "the top", "Titel 日本", "x = 6", "print(x * 7)")
	tab.Shoot("added")

	// The person writes at the end of the cell whose beginning the agent changes.
	must.NoError(t, tab.EditCell(ctx, 3))
	must.NoError(t, tab.Press(ctx, kb.End, 0))
	must.NoError(t, tab.Type(ctx, " # typed 😀"))
	tab.shows("what is typed", "the top", "Titel 日本", "x = 6", "print(x * 7) # typed 😀")
	edited := do("notebook_edit_cell", map[string]any{"cell_id": added.CellID, "source": "y = 1\nprint(x * 7)", "force": true})
	if edited.CellID != added.CellID {
		t.Errorf("%+v", edited)
	}
	tab.shows("the edit", "the top", "Titel 日本", "x = 6", "y = 1\nprint(x * 7) # typed 😀")
	must.NoError(t, tab.Type(ctx, "!")) // the caret has not moved
	tab.shows("what is typed on", "the top", "Titel 日本", "x = 6", "y = 1\nprint(x * 7) # typed 😀!")

	moved := do("notebook_move_cell", map[string]any{"cell_id": made.CellIDs[1], "position": 0})
	test.Eq(t, made.CellIDs[1], moved.CellID)
	test.Eq(t, 0, *moved.Index)
	tab.shows("the move", "x = 6", "the top", "Titel 日本", "y = 1\nprint(x * 7) # typed 😀!")
	do("notebook_delete_cell", map[string]any{"cell_id": top.CellID})
	do("notebook_delete_cell", map[string]any{"cell_index": 1})
	tab.shows("the deletions", "x = 6", "y = 1\nprint(x * 7) # typed 😀!")
	tab.Shoot("moved and deleted")
	endAnalysis(t, nbduet, s, true)
}
