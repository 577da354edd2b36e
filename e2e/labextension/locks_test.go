package labextension_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// A lock keeps agents out of a cell or the notebook, with the mouse and with the keyboard, as "@Duet hands off" does; a
// second tab shows it, and unlocks nothing of another person.
func TestLocks(t *testing.T) {
	for _, by := range []string{"mouse", "keyboard"} {
		t.Run(by, func(t *testing.T) {
			ctx := t.Context()
			path := kit.NewNotebook(t, kit.Code("n = 0"), kit.Code("n = 0"), kit.Code("n = 0"))
			tab, other := open(t, path), open(t, path)
			press := tab.click
			if by == "keyboard" {
				press = tab.press
			}
			claude := kit.StartAgent(t)
			kit.ReadCells(t, claude, path)
			first, second := writing(t, claude, path, "cell-1"), writing(t, claude, path, "cell-2")

			must.NoError(t, tab.EditCell(ctx, 1))
			press(cellLockButton)
			said := waitCall(t, "hands_off", first)
			test.StrContains(t, said, tab.name())
			test.Eq(t, "", second())
			other.waitKept("cell-1", tab.name()+" keeps agents out")
			tab.Shoot("cell")
			press(cellLockButton)
			waitCall(t, "", first)
			other.waitKept("cell-1", "")

			press(lockButton)
			waitCall(t, "hands_off", second)
			must.NoError(t, other.WaitVisible(ctx, lockButton+`.nbduet-held`))
			tab.Shoot("notebook")
			other.click(lockButton)
			other.waitText(".Toastify__toast", "still kept out by "+tab.name())
			press(lockButton)
			waitCall(t, "", second)
		})
	}
}

// waitKept waits until a cell's description contains want, or with "" until it has none.
func (p *person) waitKept(cell, want string) {
	p.T.Helper()
	must.NoError(p.T, poll.Until(p.T.Context(), "the description of "+cell, func(ctx context.Context) error {
		is, err := browser.Eval[string](ctx, p.Tab, fmt.Sprintf(`(c => c.node.getAttribute("aria-description") ?? "")(jupyterapp.shell.currentWidget.content.widgets.find(w => w.model.id === %q))`, cell))
		if err == nil && (!strings.Contains(is, want) || want == "" && is != "") {
			err = fmt.Errorf("%q, not %q", is, want)
		}
		return err
	}))
}

// The context menu keeps agents out of a cell in the file, or lets them run it only with permission: the marks are in the
// metadata, the agent is refused, and "run all" passes over the cell.
func TestMarksInTheFile(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("n = 0"), kit.Code("print('ran')"), kit.Code("other = 1"))
	tab := open(t, path)
	claude := kit.StartAgent(t)
	kit.ReadCells(t, claude, path)
	write := writing(t, claude, path, "cell-0")
	tab.menu(`.jp-Notebook-cell[data-windowed-list-index="0"] .jp-InputPrompt`, "nbduet:lock-cell-in-file")
	tab.waitKept("cell-0", tab.name()+" keeps agents out, in the file")
	said := waitCall(t, "hands_off", write)
	test.StrContains(t, said, tab.name()+" keeps agents out of cell 0")

	tab.menu(`.jp-Notebook-cell[data-windowed-list-index="1"] .jp-InputPrompt`, "nbduet:ask-to-run")
	tab.waitKept("cell-1", "only with permission")
	run := map[string]any{"path": path, "ranges": []map[string]any{{"start": 1}}}
	waitCall(t, "ask_to_run", func() string { return call(t, claude, "execute_nb_cells", run) })
	tab.Shoot("marks")
	must.NoError(t, poll.Until(ctx, "the marks in the file", func(context.Context) error {
		text, err := os.ReadFile(kit.Jupyter(t).Path(path))
		if err == nil && (!strings.Contains(string(text), `"hands_off"`) || !strings.Contains(string(text), `"ask_to_run"`)) {
			err = errors.New("they are missing")
		}
		return err
	}))

	tab.menu(`.jp-Notebook-cell[data-windowed-list-index="0"] .jp-InputPrompt`, "nbduet:lock-cell-in-file")
	tab.menu(`.jp-Notebook-cell[data-windowed-list-index="1"] .jp-InputPrompt`, "nbduet:ask-to-run")
	waitCall(t, "", write)
	waitCall(t, "", func() string { return call(t, claude, "execute_nb_cells", run) })
	metadata, err := browser.Eval[string](ctx, tab.Tab, `JSON.stringify(jupyterapp.shell.currentWidget.content.widgets.map(w => w.model.sharedModel.getMetadata("nbduet") ?? null))`)
	must.NoError(t, err)
	test.Eq(t, "[null,null,null]", metadata)
}
