package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Force right after a refusal succeeds, even for a cell that is too long for the refusal to show, and replaces the refused
// text; text typed elsewhere since then stays.
func TestForceBehindARefusal(t *testing.T) {
	long := strings.Repeat("# a line of a long cell\n", 300)
	for _, more := range []string{"", long} {
		for _, of := range []string{"unread", "conflict", "conflict with a revision", "busy"} {
			for _, tool := range []string{"modify_nb_cells", "overwrite_cell_source", "notebook_edit_cell", "delete_nb_cells", "overwrite_document"} {
				t.Run(fmt.Sprintf("%s/%s/%d characters", of, tool, len(more)), func(t *testing.T) {
					jupytertest.Beside(t, func(t *testing.T) {
						r := toolstest.New(t)
						was := fourLines + "\n" + more + "end = 1"
						p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", was, "c = 3")}
						p.opens(tool)
						tab := p.ada()
						var args toolstest.Dict
						mine := strings.Replace(was, "= 2", "= mine", 1)
						switch tool {
						case "modify_nb_cells":
							args = source(mine)
						case "overwrite_cell_source":
							args = toolstest.Dict{"cell_id": "c1", "cell_source": mine}
						case "notebook_edit_cell":
							args = toolstest.Dict{"cell_id": "c1", "source": mine}
						case "delete_nb_cells":
							args = toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c1"}}}
						case "overwrite_document":
							args = toolstest.Dict{"content": toolstest.Book("c0:a = 1", "c1:"+mine, "c2:c = 3")}
						}
						args["wait"] = 0
						if of != "unread" {
							p.reads(toolstest.Dict{"maxCellData": 100_000})
						}
						if of == "conflict with a revision" {
							rev, _ := p.Room(p.path)
							args = withRevision(args, target.Revision(rev))
						}
						typed := was
						switch of {
						case "unread":
							typed = strings.Replace(typed, "= 1", "= 1 + unread", 1)
						case "conflict", "conflict with a revision":
							typed = strings.Replace(typed, "= 2", "= typed", 1)
						case "busy":
							typed = strings.Replace(typed, "= 3", "= 3 # k", 1)
						}
						p.sets(tab, "c1", typed)
						if of != "busy" {
							time.Sleep(2 * editguard.Quiet)
						}
						text, failed := p.call(tool, args)
						test.True(t, failed, test.Sprint("not refused"))
						test.False(t, tool != "delete_nb_cells" && strings.Contains(text, editguard.CodeBusy) != (of == "busy"), test.Sprint("not refused"))
						test.Eq(t, typed, p.cell("c1"), test.Sprint("not refused"))
						later := strings.Replace(typed, "= 4", "= 4 # later", 1)
						p.sets(tab, "c1", later)
						text, failed = p.call(tool, toolstest.With(args, "force", true))
						now := p.cell("c1")
						switch {
						case failed:
							t.Errorf("by force: %s", text)
						case tool == "delete_nb_cells":
							if now != "" {
								t.Errorf("the cell is %q", now)
							}
						case !strings.Contains(now, "= mine\n") || strings.Contains(now, "unread") || strings.Contains(now, "typed"):
							t.Errorf("the cell is %q", now)
						case of == "busy" && now != strings.Replace(later, "= 2", "= mine", 1), more == "" && !strings.Contains(now, "# later"):
							t.Errorf("what was typed is gone: the cell is %q", now)
						}
						test.Eq(t, "a = 1", p.cell("c0"), test.Sprint("other cells were changed"))
						test.Eq(t, "c = 3", p.cell("c2"), test.Sprint("other cells were changed"))
					})
				})
			}
		}
	}
}

// Forced again after a read, the same source replaces the text that the read has shown.
func TestForcedAfterAReading(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		p := newFourLines(toolstest.New(t))
		p.puts("= 1", "= 1 # typed")
		mine := strings.Replace(fourLines, "= 3", "= mine", 1)
		args := toolstest.With(source(mine), "force", true)
		for range 3 {
			if text, failed := p.call("modify_nb_cells", args); failed {
				t.Error(text)
			}
			p.is(strings.Replace(mine, "= 1", "= 1 # typed", 1), "repeated")
		}
		p.Read(p.path)
		if text, failed := p.call("modify_nb_cells", args); failed {
			t.Error(text)
		}
		p.is(mine, "after a reading")
	})
}
