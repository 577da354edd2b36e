package tab_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// The person sees how the agent splits, merges and retypes cells, and takes it back; searching and code without a cell
// leave the notebook as it is. A cell of the person that hangs is stopped when asked, and says by whom.
func TestCoreBesideAPerson(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("import time\nx = 6\n\ny = 7  # 日本"), kit.Code("x * y"), kit.Code("# Results"))
	tab := open(t, path)
	f := follower{t, kit.StartAgentAs(t, agent.Options{Words: true}), path}
	modifies := func(mods ...map[string]any) string {
		t.Helper()
		return f.do("modify_nb_cells", map[string]any{"modifications": mods})
	}
	f.do("read_nb_cells", nil)
	f.do("execute_nb_cells", map[string]any{"ranges": []map[string]any{{"start": 0, "end": 2}}})

	f.says(modifies(map[string]any{"range": map[string]any{"start": 0}, "split_at": []int{2, 4}}), "split into 0-2")
	tab.shows("a split cell", "import time", "x = 6", "y = 7  # 日本", "x * y", "# Results")
	tab.Shoot("split")
	f.says(modifies(map[string]any{"range": map[string]any{"start": 1, "end": 4}, "merge": true}), "merged into 1")
	tab.shows("merged cells", "import time", "x = 6\n\ny = 7  # 日本\n\nx * y", "# Results")
	tab.Shoot("merged")
	f.says(modifies(map[string]any{"range": map[string]any{"start": 2}, "type": "markdown", "position": 0}), "moved 0 .*, markdown now")
	must.NoError(t, tab.WaitView(ctx, "a rendered title on top", func(cells []browser.ViewCell) error {
		if cells[0].Prompt != "" || !strings.Contains(cells[0].Source, "Results") {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	tab.Shoot("markdown")

	f.says(f.do("search", map[string]any{"query": "y = 7"}), `(?m)^@@2 .*\n(.*\n)*3:y = 7`)
	f.says(f.do("read_nb_cells", map[string]any{"outline": true}), "# Results")
	f.says(f.do("run_code", map[string]any{"code": "z = x * y\nz"}), `(?s)^left no cell, sets z.*42`)
	must.SliceLen(t, 3, viewOf(t, tab))
	tab.Shoot("searched")
	for range 3 {
		f.do("undo_agent", nil)
	}
	tab.shows("all undone", "import time\nx = 6\n\ny = 7  # 日本", "x * y", "# Results")
	tab.Shoot("undone")

	must.NoError(t, tab.EditCell(ctx, 1))
	must.NoError(t, tab.Press(ctx, kb.End))
	must.NoError(t, tab.Type(ctx, "\nwhile True: time.sleep(0.1)"))
	must.NoError(t, tab.Press(ctx, kb.Enter, kb.ModifierCtrl))
	must.NoError(t, tab.WaitView(ctx, "the person's running cell", func(cells []browser.ViewCell) error {
		if cells[1].Prompt != "[*]:" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	must.NoError(t, poll.Until(ctx, "the agent to see it running", func(context.Context) error {
		if says := f.call(true, "cancel_run", map[string]any{"path": path}); !strings.Contains(says, "ask your user") {
			return errors.New(says)
		}
		return nil
	}))
	f.says(f.do("cancel_run", map[string]any{"path": path, "user_asked": true}), "interrupted; a note in the cell says so")
	must.NoError(t, tab.WaitView(ctx, "the note", func(cells []browser.ViewCell) error {
		if all := fmt.Sprint(cells[1].Outputs); !strings.Contains(all, "KeyboardInterrupt") || !strings.Contains(all, "interrupted this cell, as its user asked") {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	must.NoError(t, tab.Scroll(ctx, 1))
	tab.Shoot("interrupted")
	f.says(f.do("run_code", map[string]any{"code": "x"}), "6") // variables stay
}

func viewOf(t *testing.T, tab *person) []browser.ViewCell {
	t.Helper()
	cells, err := tab.View(t.Context())
	must.NoError(t, err)
	test.SliceNotEmpty(t, cells)
	return cells
}
