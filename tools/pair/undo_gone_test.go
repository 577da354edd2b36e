package pair_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// After the document was closed because it was unused, loaded again from its file, or rejoined because its server was
// restarted, the earlier history is gone, and each tool says so and since when.
func TestHistoryIsGone(t *testing.T) {
	for says, end := range map[string]func(d *duo){
		"was opened here at ": func(*duo) { time.Sleep(6 * time.Minute) },
		"was reloaded from its file at ": func(d *duo) {
			full := filepath.Join(d.Server.Root, d.path)
			b, err := os.ReadFile(full)
			if err != nil {
				d.t.Fatal(err)
			}
			time.Sleep(2 * time.Second) // otherwise the server takes it for its own last save
			if err := os.WriteFile(full, []byte(strings.Replace(string(b), "y = 2", "y = 20", 1)), 0o600); err != nil {
				d.t.Fatal(err)
			}
			sessiontest.Eventually(d.t, "the other program's edit is there", func() bool { _, cells := d.Room(d.path); return cells[1].Source == "y = 20" })
		},
		"was rejoined at ": func(d *duo) {
			d.Server.Fake.Restart(false)
			time.Sleep(time.Minute)
		},
	} {
		t.Run(says, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, "x = 1", "y = 2")
				d.Read(d.path)
				var wrote notebook.ModifyResult
				d.Good("modify_nb_cells", d.in(change(0, "x = 10", "tens")), &wrote)
				var list pair.ListEditsResult
				d.Good("list_agent_edits", d.in(nil), &list)
				sessiontest.Eventually(t, "the edit is in the file", func() bool { return sessiontest.FileHas(d.Server, d.path, "x = 10") })
				ended := time.Now()
				end(d)
				step := list.Steps[0].Step
				// The revision of the write is not taken for one of the present history.
				holds(t, d.says("changes_since", dict{"revision": wrote.Revision}), "are not known", "This is the current notebook")
				d.Good("list_agent_edits", d.in(nil), &list)
				if len(list.Steps) != 0 {
					t.Errorf("%+v", list)
				}
				_, at, _ := strings.Cut(list.Message, says)
				at, _, _ = strings.Cut(at, ",")
				from, to := ended.Format(time.TimeOnly), time.Now().Format(time.TimeOnly)
				test.GreaterEq(t, from, at, test.Sprint(list.Message))
				test.LessEq(t, to, at, test.Sprint(list.Message))
				gone := says + at + ", the earlier history is gone"
				holds(t, list.Message, gone)
				holds(t, d.says("list_agent_edits", nil), gone)
				var undone pair.UndoResult
				d.Good("undo_agent", d.in(nil), &undone)
				if len(undone.Steps) != 0 {
					t.Errorf("%+v", undone)
				}
				holds(t, undone.Message, gone)
				holds(t, d.says("undo_agent", nil), gone)
				holds(t, d.says("redo_agent", nil), says+at)
				d.Bad("undo_agent", d.in(dict{"step": step}), step, "you have none", gone)
				if got := d.Sources(d.path)[0]; got != "x = 10" {
					t.Errorf("%q", got)
				}
				// Later edits can be undone, and no others.
				d.Good("modify_nb_cells", d.in(change(0, "x = 100", "")), nil)
				d.Bad("undo_agent", d.in(dict{"step": step}), step, "yours are s", gone)
				d.Good("undo_agent", d.in(dict{"count": 5}), &undone)
				got := d.Sources(d.path)[0]
				test.Eq(t, "x = 10", got)
				test.SliceLen(t, 1, undone.Steps)
				holds(t, undone.Message, "there were only 1", gone)
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
