package journeys

import (
	"fmt"
	"os"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/nbfile"
)

// An agent finds a notebook, reads it, changes a word, inserts a cell and moves one; room and file have just that.
func TestReadFindEditInsertMove(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "import math", "radius = 2  # größe 😀", "print(math.pi * radius)")
	m := join(t, kit.Jupyter(t), path)
	a := kit.StartAgentAs(t, agent.Options{})
	has(t, "the list of notebooks", do(t, a, "list_nbs", nil), path)
	must.NoError(t, same(sources(kit.ReadCells(t, a, path), func(c agent.Cell) (string, string) { return c.ID, c.Source }),
		[]string{"c0: import math", "c1: radius = 2  # größe 😀", "c2: print(math.pi * radius)"}))

	do(t, a, "edit_text", map[string]any{"path": path, "old_text": "radius = 2", "new_text": "radius = 3"})
	var made struct {
		Inserted []struct{ ID string } `json:"inserted_cells"`
	}
	_, err := a.Do(t.Context(), "insert_nb_cells", map[string]any{
		"path": path, "after_id": "c1", "exec": false, "cells": []any{map[string]any{"content": "area = math.pi * radius ** 2"}},
	}, &made)
	must.NoError(t, err)
	do(t, a, "move_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"id": "c2"}}, "position": 0})

	var got []roomCell
	m.sees("the edits", func(cells []roomCell) error {
		got = cells
		if len(cells) != 4 || cells[0].ID != "c2" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	})
	want := []string{"c2: print(math.pi * radius)", "c0: import math", "c1: radius = 3  # größe 😀", got[3].ID + ": area = math.pi * radius ** 2"}
	must.NoError(t, same(sources(got, inRoom), want))
	fileHas(t, kit.Jupyter(t), path, "the edits", func(cells []nbfile.Cell) error {
		return same(sources(cells, func(c nbfile.Cell) (string, string) { return c.ID, string(c.Source) }), want)
	})
}

// An edit that was answered as done is in the file; an edit that cannot be saved, because the file is gone, is refused
// and not made.
func TestSaveIsProved(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "x = 1")
	a := kit.StartAgentAs(t, agent.Options{})
	kit.ReadCells(t, a, path)
	do(t, a, "edit_text", map[string]any{"path": path, "old_text": "x = 1", "new_text": "x = 2"})
	fileHas(t, kit.Jupyter(t), path, "the edit", func(cells []nbfile.Cell) error {
		if len(cells) != 1 || cells[0].Source != "x = 2" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	})
	has(t, "the end of a session", do(t, a, "end_nb_session", map[string]any{"path": path}), "ended successfully")

	kit.ReadCells(t, a, path)
	m := join(t, kit.Jupyter(t), path)
	must.NoError(t, os.Remove(kit.Jupyter(t).Path(path)))
	answer, err := a.Call(t.Context(), "edit_text", map[string]any{"path": path, "old_text": "x = 2", "new_text": "x = 3"})
	must.NoError(t, err)
	if !answer.IsError {
		t.Errorf("an edit for which there is no file succeeded: %s", answer.Text)
	}
	has(t, "the refusal", answer.Text, path, "no document")
	must.NoError(t, same(sources(m.cells(), inRoom), []string{"c0: x = 2"}))
}
