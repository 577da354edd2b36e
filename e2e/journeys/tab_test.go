package journeys

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/nbfile"
)

// screenshot is the person's view at the end.
var screenshot = filepath.Join("artifacts", "typing-beside-agent.png")

// A person types in a tab while the agent changes the same cell, and runs and plots in another: no typed text is lost,
// and the tab shows the plot without a reload. The agent sees where the person is and the typed text, and undoes its own
// edits: the plot goes, and the typed text stays.
func TestTypingBesideAgent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path := notebook(t, kit.Jupyter(t), "alpha = 0\nbeta = 2\n# notes:", "alpha + beta")
	tab, err := kit.Chromium(t).OpenNotebook(ctx, kit.Jupyter(t).PageURL("journey", path))
	must.NoError(t, err)
	t.Cleanup(func() {
		for _, message := range tab.Errors() {
			t.Errorf("the page had an error: %s", message)
		}
		tab.Close()
	})
	a := kit.StartAgentAs(t, agent.Options{})
	var before struct{ Revision string }
	_, err = a.Do(ctx, "read_nb_cells", map[string]any{"path": path}, &before)
	must.NoError(t, err)

	const typed = " the quick brown fox jumps over the lazy dog größer als 😀"
	must.NoError(t, tab.EditCell(ctx, 0))
	typing := make(chan error, 1)
	go func() { typing <- typeKeys(ctx, tab, typed) }()
	edits := 0
	for busy := true; busy; edits++ {
		do(t, a, "edit_text", map[string]any{
			"path": path, "cell_id": "c0", "old_text": fmt.Sprintf("alpha = %d", edits), "new_text": fmt.Sprintf("alpha = %d", edits+1),
			"force": true, // refused otherwise while a person types there
		})
		select {
		case err := <-typing:
			must.NoError(t, err)
			busy = false
		default:
		}
	}
	do(t, a, "insert_nb_cells", map[string]any{"path": path, "after_id": "c1", "cells": []any{map[string]any{"content": figure}}})
	must.NoError(t, tab.WaitView(ctx, "the plot", func(cells []browser.ViewCell) error {
		if len(cells) != 3 || len(cells[2].Outputs) != 1 || cells[2].Outputs[0].Width == 0 {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	must.NoError(t, tab.Top(ctx))
	must.NoError(t, tab.Screenshot(ctx, screenshot))
	want := fmt.Sprintf("alpha = %d\nbeta = 2\n# notes:%s", edits, typed)
	fileHas(t, kit.Jupyter(t), path, "all that was typed", func(cells []nbfile.Cell) error {
		if len(cells) != 3 || string(cells[0].Source) != want {
			return fmt.Errorf("%q, want %q", cells[0].Source, want)
		}
		return nil
	})
	model, err := tab.Model(ctx)
	must.NoError(t, err)
	must.SliceLen(t, 3, model)
	test.Eq(t, want, model[0].Source)
	if strings.Count(want, typed) != 1 {
		t.Error(errors.New("what was typed is there more than once"))
	}
	has(t, "look_around", do(t, a, "look_around", map[string]any{"path": path}), `"cell_id":"c0"`, `"typed":`)
	has(t, "changes_since", do(t, a, "changes_since", map[string]any{"path": path, "revision": before.Revision}), typed, "Anonymous")
	has(t, "undo_agent", do(t, a, "undo_agent", map[string]any{"path": path}), `"tool":"insert_nb_cells"`)
	must.NoError(t, tab.WaitView(ctx, "no plot, and what was typed", func(cells []browser.ViewCell) error {
		if len(cells) != 2 || cells[0].Source != want {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
}

// typeKeys types a text key by key.
func typeKeys(ctx context.Context, tab *browser.Notebook, text string) error {
	for _, r := range text {
		if err := tab.Type(ctx, string(r)); err != nil {
			return err
		}
	}
	return nil
}
