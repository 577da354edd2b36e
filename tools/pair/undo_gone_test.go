package pair_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// ends are the ways in which a replica ends: the document is closed because it was unused, loaded again from its file, or
// rejoined because its server was restarted. The second takes a text in the file that another program changes.
var ends = map[string]func(d *duo, path, old, changed string){
	"was opened here at ": func(*duo, string, string, string) { time.Sleep(6 * time.Minute) },
	"was reloaded from its file at ": func(d *duo, path, old, changed string) {
		full := filepath.Join(d.Server.Root, path)
		b, err := os.ReadFile(full)
		if err != nil {
			d.t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // otherwise the server takes it for its own last save
		if err := os.WriteFile(full, []byte(strings.Replace(string(b), old, changed, 1)), 0o600); err != nil {
			d.t.Fatal(err)
		}
		sessiontest.Eventually(d.t, "the other program's edit is there", func() bool { _, cells := d.Room(path); return cells[1].Source == changed })
	},
	"was rejoined at ": func(d *duo, _, _, _ string) {
		d.Server.Fake.Restart(false)
		time.Sleep(time.Minute)
	},
}

// The steps in a notebook outlast its replica: they are listed, undone beside a person's words, and redone.
func TestStepsOutlastTheReplica(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, "x = 1", "y = 2", "z = 3").asOne()
				cells := d.Read(d.path).Cells
				var wrote notebook.ModifyResult
				d.Good("modify_nb_cells", d.in(change(0, "x = 10", "tens")), &wrote)
				d.Good("delete_nb_cells", d.in(dict{"ranges": []dict{{"id": cells[2].ID}}}), nil)
				var list, later pair.ListEditsResult
				d.Good("list_agent_edits", d.in(nil), &list)
				sessiontest.Eventually(t, "the edits are in the file", func() bool {
					return sessiontest.FileHas(d.Server, d.path, "x = 10") && !sessiontest.FileHas(d.Server, d.path, "z = 3")
				})
				end(d, d.path, "y = 2", "y = 20")
				// The revision of the write is one of the journal.
				holds(t, d.says("changes_since", dict{"revision": wrote.Revision}), "deleted by unknown", "compared with the notebook of ", "by whom is not known")
				d.Good("list_agent_edits", d.in(nil), &later)
				must.SliceLen(t, 2, later.Steps)
				for i := range list.Steps {
					test.Eq(t, list.Steps[i].StepName, later.Steps[i].StepName)
					test.SliceEqOp(t, list.Steps[i].CellIDs, later.Steps[i].CellIDs)
				}
				person := d.Person()
				person.Read(d.path)
				person.Good("modify_nb_cells", d.in(change(0, "x = 10 # mine", "")), nil)
				d.UpToDate(d.path)
				var undone pair.UndoResult
				d.Good("undo_agent", d.in(dict{"task": true}), &undone)
				test.SliceLen(t, 2, undone.Steps)
				test.SliceEmpty(t, undone.Left)
				got := d.Sources(d.path)
				must.SliceLen(t, 3, got)
				test.Eq(t, "x = 1 # mine", got[0])
				test.Eq(t, "z = 3", got[2])
				holds(t, d.says("undo_agent", nil), "all your edits in", "are undone")
				d.Good("redo_agent", d.in(dict{"count": 2}), &undone)
				got = d.Sources(d.path)
				must.SliceLen(t, 2, got)
				test.Eq(t, "x = 10 # mine", got[0])
				d.Bad("undo_agent", d.in(dict{"step": "s9999"}), "s9999", "yours are "+list.Steps[0].Step, "has no other edits of yours of the last 30 days")
			})
		})
	}
}

// The journal keeps no texts: their earlier history is gone with the replica, and each tool says so and since when.
func TestHistoryOfATextIsGone(t *testing.T) {
	for says, end := range ends {
		if says == "was reloaded from its file at " {
			continue // the server merges a changed text into the room
		}
		t.Run(says, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, "x = 1")
				d.path = d.TextFile("alpha beta")
				d.Content(d.path)
				d.Good("replace_document_text", d.in(dict{"position": 0, "length": 5, "text": "ALPHA"}), nil)
				var list pair.ListEditsResult
				d.Good("list_agent_edits", d.in(nil), &list)
				d.FileIs(d.path, "ALPHA beta")
				ended := time.Now()
				end(d, d.path, "", "")
				step := list.Steps[0].Step
				d.Good("list_agent_edits", d.in(nil), &list)
				test.SliceEmpty(t, list.Steps)
				_, at, _ := strings.Cut(list.Message, says)
				at, _, _ = strings.Cut(at, ",")
				from, to := ended.Format(time.TimeOnly), time.Now().Format(time.TimeOnly)
				test.GreaterEq(t, from, at, test.Sprint(list.Message))
				test.LessEq(t, to, at, test.Sprint(list.Message))
				gone := says + at + ", the earlier history is gone"
				holds(t, list.Message, gone)
				holds(t, d.says("list_agent_edits", nil), gone)
				holds(t, d.says("undo_agent", nil), gone)
				holds(t, d.says("redo_agent", nil), says+at)
				d.Bad("undo_agent", d.in(dict{"step": step}), step, "you have none", gone)
			})
		})
	}
}

// While the server is away nothing is undone, and the step stays; an undo that was not confirmed is sent when the server is
// back. A step that was reported as not made does not exist.
func TestUndoWhileTheServerIsAway(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		cable := jupytertest.NewCable(t, s)
		d := duoOf(t, toolstest.NewOn(t, cable.Server), "x = 1", "y = 2")
		d.Read(d.path)
		d.Good("modify_nb_cells", d.in(change(0, "x = 10", "")), nil)
		steps := func(want ...string) {
			t.Helper()
			var list pair.ListEditsResult
			d.Good("list_agent_edits", d.in(nil), &list)
			var got []string
			for _, s := range list.Steps {
				id := s.Step
				if s.Undone {
					id += " undone"
				}
				got = append(got, id)
			}
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Errorf("the steps are %q, want %q", got, want)
			}
		}
		var list pair.ListEditsResult
		d.Good("list_agent_edits", d.in(nil), &list)
		one := list.Steps[0].Step
		cable.Cut()
		time.Sleep(time.Second)
		d.Bad("undo_agent", d.in(nil), "not made")
		d.Bad("modify_nb_cells", d.in(change(1, "y = 20", "")), "not made")
		steps(one)
		cable.Mend()
		time.Sleep(time.Minute)
		got := d.Sources(d.path)
		test.Eq(t, "x = 10", got[0])
		test.Eq(t, "y = 2", got[1])
		steps(one)
		cable.Stall()
		d.Bad("undo_agent", d.in(nil), "not confirmed")
		steps(one + " undone")
		cable.Mend()
		time.Sleep(time.Minute)
		steps(one + " undone")
		other := duoOf(t, toolstest.NewOn(t, s))
		other.path = d.path
		if got := other.Sources(d.path); got[0] != "x = 1" {
			t.Errorf("in the room: %q", got)
		}
		d.Good("redo_agent", d.in(nil), nil)
		steps(one)
	})
}
