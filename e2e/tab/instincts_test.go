package tab_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// Beside a person at a tab a model acts as models do: it reads little, uses indexes from its last read, repeats a
// refused or answered call, and rewrites a cell from its own text. No typed text is lost.
func TestModelByInstinct(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("x = 1"), kit.Code("print('second')"), kit.Code("z = 3"), kit.Code("a = 1\nb = 2\nc = 3"))
	tab := open(t, path)
	nbduet, other := kit.StartAgent(t, "--session-timeout", "0.05"), kit.StartAgent(t, "--session-timeout", "0.05")
	call := func(tool string, args map[string]any) (text string, refused bool) {
		t.Helper()
		args["path"] = path
		answer, err := nbduet.Call(ctx, tool, args)
		must.NoError(t, err)
		t.Logf("%s %v\n%s", tool, args, answer.Text)
		return answer.Text, answer.IsError
	}
	done := func(tool string, args map[string]any) string {
		t.Helper()
		text, refused := call(tool, args)
		if refused {
			t.Fatalf("%s %v: %s", tool, args, text)
		}
		return text
	}
	whole := func(content string) map[string]any {
		return map[string]any{"exec": false, "wait": 30, "modifications": []map[string]any{{"range": map[string]any{"id": "cell-3"}, "content": content}}}
	}
	types := func(cell, at int, text string) {
		t.Helper()
		must.NoError(t, tab.EditCell(ctx, cell))
		must.NoError(t, tab.Select(ctx, cell, at, at))
		must.NoError(t, tab.Type(ctx, text))
		must.NoError(t, poll.Until(ctx, "what was typed in the room", func(context.Context) error {
			cells := kit.ReadCells(t, other, path)
			if !strings.Contains(cells[cell].Source, text) {
				return fmt.Errorf("%q", cells[cell].Source)
			}
			return nil
		}))
	}

	// Indexes after a partial read refer to the cells that it showed.
	done("read_nb_cells", map[string]any{})
	must.NoError(t, tab.EditCell(ctx, 0))
	must.NoError(t, tab.Press(ctx, "\x1b"))
	must.NoError(t, tab.Press(ctx, "a"))
	tab.shows("a cell above", "", "x = 1", "print('second')", "z = 3", "a = 1\nb = 2\nc = 3")
	if said := done("read_nb_cells", map[string]any{"ranges": []map[string]any{{"start": 0, "end": 2}}}); !strings.Contains(said, "print('second') is 2 now") {
		t.Errorf("the partial read does not say what moved: %s", said)
	}
	tab.Shoot("partial-read")
	done("delete_nb_cells", map[string]any{"ranges": []map[string]any{{"start": 2}}})
	tab.sources("the second cell deleted", "", "x = 1", "z = 3", "a = 1\nb = 2\nc = 3")
	tab.Shoot("deleted")

	// A repeated call after a refusal is refused again.
	types(3, len("a = 1"), "0 # mine")
	wants := whole("a = 11\nb = 2\nc = 3")
	for range 3 {
		if said, refused := call("modify_nb_cells", wants); !refused {
			t.Errorf("written over what was typed: %s", said)
		}
	}
	tab.sources("the refusals", "", "x = 1", "z = 3", "a = 10 # mine\nb = 2\nc = 3")
	tab.Shoot("refused")

	// Seventy keys elsewhere in the cell do not matter, nor does a repeated call, after the notebook was closed.
	done("read_nb_cells", map[string]any{})
	const sentence = " # a sentence of seventy keys, typed one by one in the last of the lines"
	types(3, len("a = 10 # mine\nb = 2\nc = 3"), sentence)
	wants = whole("a = 10 # mine\nb = 22\nc = 3")
	merged := []string{"", "x = 1", "z = 3", "a = 10 # mine\nb = 22\nc = 3" + sentence}
	if said := done("modify_nb_cells", wants); !strings.Contains(said, "seventy keys") {
		t.Errorf("what it was merged with is not shown: %s", said)
	}
	tab.sources("the merge", merged...)
	done("modify_nb_cells", wants)
	tab.sources("the same call again", merged...)
	must.NoError(t, poll.Until(ctx, "the agents to leave the idle notebook", func(context.Context) error {
		names, err := tab.Collaborators(ctx)
		if err == nil && len(names) > 0 {
			err = fmt.Errorf("%q are there", names)
		}
		return err
	}))
	done("modify_nb_cells", wants)
	tab.sources("the same call after it was closed", merged...)
	tab.Shoot("merged")
}

// A notebook that is opened while a person types is not written between two of their keys.
func TestOpenedWhileSomebodyTypes(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("a = 1\n#"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	must.NoError(t, tab.EditCell(ctx, 0))
	must.NoError(t, tab.Select(ctx, 0, len("a = 1\n#"), len("a = 1\n#")))
	const words = " each key of this sentence comes before the edit, which is made when it ends"
	typing := make(chan error, 1)
	go func() { typing <- tab.typesSlowly(ctx, words) }()
	must.NoError(t, poll.Until(ctx, "the first keys", func(context.Context) error {
		model, err := tab.Model(ctx)
		if err == nil && len(model[0].Source) < len("a = 1\n#")+3 {
			err = fmt.Errorf("%q", model[0].Source)
		}
		return err
	}))
	answer, err := nbduet.Call(ctx, "edit_text", map[string]any{"path": path, "old_text": "a = 1", "new_text": "a = 2", "wait": 0})
	must.NoError(t, err)
	test.True(t, answer.IsError, test.Sprint("while somebody types it is answered"))
	test.StrHasPrefix(t, "busy_human", answer.Text, test.Sprint("while somebody types it is answered"))
	t.Log(answer.Text)
	tab.Shoot("typing")
	answer, err = nbduet.Call(ctx, "edit_text", map[string]any{"path": path, "old_text": "a = 1", "new_text": "a = 2", "wait": 30})
	must.NoError(t, err)
	select {
	case err := <-typing:
		must.NoError(t, err)
	default:
		t.Error("written before the last key")
		must.NoError(t, <-typing)
	}
	if answer.IsError {
		t.Errorf("after the last key it is answered: %s", answer.Text)
	}
	tab.sources("all keys and the edit", "a = 2\n#"+words)
	tab.Shoot("edited")
}

// A cell that the person deletes and restores by undo is still the cell that the model has read; text typed in it stays.
func TestRestoredAtTheTab(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("a = 1"), kit.Code("b = 2\n\nc = 3"), kit.Code("d = 4"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	kit.ReadCells(t, nbduet, path)
	must.NoError(t, tab.EditCell(ctx, 1))
	must.NoError(t, tab.Select(ctx, 1, len("b = 2"), len("b = 2")))
	must.NoError(t, tab.Type(ctx, "0"))
	for _, key := range []string{"\x1b", "d", "d"} {
		must.NoError(t, tab.Press(ctx, key))
	}
	tab.sources("the cell is deleted", "a = 1", "d = 4")
	must.NoError(t, tab.Press(ctx, "z"))
	tab.sources("the cell is back", "a = 1", "b = 20\n\nc = 3", "d = 4")
	answer, err := nbduet.Do(ctx, "modify_nb_cells", map[string]any{"path": path, "exec": false, "wait": 30, "modifications": []map[string]any{
		{"range": map[string]any{"start": 1}, "content": "b = 2\n\nc = 33"},
	}}, nil)
	must.NoError(t, err)
	test.StrContains(t, answer.Text, "b = 20", test.Sprint("the answer shows what it was merged with"))
	tab.sources("the model's change", "a = 1", "b = 20\n\nc = 33", "d = 4")
	tab.Shoot("restored")
}
