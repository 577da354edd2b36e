package pair_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// look returns the answer of look_around for the notebook.
func (d *duo) look() (out pair.LookResult) {
	d.t.Helper()
	d.Good("look_around", d.in(nil), &out)
	return out
}

// In a lost room no person can be seen, and when it is joined again the answer says that the people are not known yet.
func TestLookAroundInALostRoom(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		cable := jupytertest.NewCable(t, s)
		d := duoOf(t, toolstest.NewOn(t, cable.Server), "a").asOne()
		d.look()
		d.known()
		holds(t, d.says("look_around", nil), "no one else is in "+d.path)
		cable.Cut()
		time.Sleep(5 * time.Second)
		out := d.look()
		test.True(t, out.Lost, test.Sprint("while it is lost"))
		test.SliceEmpty(t, out.People, test.Sprint("while it is lost"))
		holds(t, d.says("look_around", nil), "not known yet whether anyone else is in "+d.path+": the connection is lost, and people's activity is unknown until it is back")
		time.Sleep(time.Minute)
		holds(t, d.says("look_around", nil), "the connection is lost")
		cable.Mend()
		for d.look().Lost {
			time.Sleep(100 * time.Millisecond)
		}
		out = d.look()
		must.NotNil(t, out.KnownIn, must.Sprint("when it is back"))
		test.GreaterEq(t, 17, *out.KnownIn, test.Sprint("when it is back"))
		test.LessEq(t, 18, *out.KnownIn, test.Sprint("when it is back"))
		test.False(t, out.Lost, test.Sprint("when it is back"))
		holds(t, d.says("look_around", nil), "not known yet whether anyone else is in "+d.path+": people who were there before are known in 1")
		time.Sleep(18 * time.Second)
		holds(t, d.says("look_around", nil), "no one else is in "+d.path)
		// The same applies to a room of a restarted server.
		s.Fake.Restart(false)
		time.Sleep(5 * time.Second)
		holds(t, d.says("look_around", nil), "not known yet whether anyone else is in "+d.path)
	})
}

// A killed tab, which sent no goodbye, disappears within 30 s.
func TestLookAroundForgetsAKilledTab(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "a").asOne()
		d.look()
		ada := d.enters("ada", "Ada")
		d.known(ada)
		ada.selects("c0", 0, 0)
		ada.Leave()
		killed := time.Now()
		for len(d.look().People) == 1 {
			time.Sleep(100 * time.Millisecond)
			if time.Since(killed) > time.Minute {
				t.Fatal("it stays")
			}
		}
		if gone := time.Since(killed); gone > 30*time.Second {
			t.Errorf("gone after %v", gone)
		}
		holds(t, d.says("look_around", nil), "no one else is in "+d.path)
		d.Bad("read_nb_cells", d.in(dict{"ranges": []dict{{"id": "theirs"}}}), "no one else is in this notebook")
	})
}

// Without a path it needs a notebook that is open here, and the server's list of people's front documents.
func TestLookAroundWithoutALobby(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "a").asOne()
		lobby := d.Server.Fake.Faults.AnswerNext(-1, "", "/api/collaboration/room/JupyterLab:globalAwareness", 500)
		nothing := func() {
			t.Helper()
			var out pair.LookResult
			d.Good("look_around", nil, &out)
			must.SliceEmpty(t, out.People)
			must.Nil(t, out.KnownIn)
			test.Eq(t, "no notebook is open here: give a path", out.Message)
			holds(t, d.asks("look_around", nil), "no notebook is open here: give a path")
		}
		nothing()
		d.look()
		d.enters("ada", "Ada").selects("c0", 0, 0)
		time.Sleep(time.Minute)
		if lobby.Count() == 0 {
			t.Error("the lobby was not looked for")
		}
		holds(t, d.asks("look_around", nil), "not known yet whether anyone else is viewing a notebook that is open here: the connection is lost")
		d.Good("end_nb_session", d.in(nil), nil)
		nothing()
	})
}

// A person who has the notebook in front without being in its room is listed only without a path. An agent of another
// program is not a person, and not in a cell like one. Without a caret the active cell counts, only of this notebook.
func TestWhoIsNotInACell(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "a", "b").asOne()
		d.look()
		d.inLobby("bob", "Bob", "notebook:"+d.path)
		d.known()
		holds(t, d.says("look_around", nil), "no one else is in "+d.path)
		holds(t, d.asks("look_around", nil), "1 person", "@@ Bob, in "+d.path+", in no cell")

		other := d.Person()
		other.Read(d.path)
		other.Good("modify_nb_cells", d.in(change(1, "bb", "")), nil)
		d.UpToDate(d.path)
		settle()
		out := d.look()
		must.SliceLen(t, 1, out.People)
		test.True(t, out.People[0].Agent)
		test.Eq(t, "c1", out.People[0].CellID)
		agent := "agent " + out.People[0].Name
		holds(t, d.says("look_around", nil), "1 agent in "+d.path, "@@1 c1 "+agent+", line 1")
		holds(t, d.asks("look_around", nil), "1 person and 1 agent", "@@ Bob, in "+d.path, "@@1 c1 "+agent+", in "+d.path)
		if read := d.says("read_nb_cells", nil); strings.Contains(read, " is in 1 c1") {
			t.Errorf("an agent is named: %s", read)
		}
		d.Bad("read_nb_cells", d.in(dict{"ranges": []dict{{"id": "theirs"}}}), "no one else is in this notebook")

		ada := d.enters("ada", "Ada")
		for _, c := range []struct {
			shows dict
			says  string
		}{
			{dict{"activeCellId": "c1"}, "@@1 c1 Ada, on the cell, without a caret"},
			{dict{"activeCellId": "c0", "notebookPath": d.path}, "@@0 c0 Ada, on the cell, without a caret"},
			{dict{"activeCellId": "c0", "notebookPath": "RTC:" + d.path}, "@@0 c0 Ada, on the cell, without a caret"},
			{dict{"activeCellId": "c0", "notebookPath": "other.ipynb"}, "@@ Ada, in no cell"},
			{dict{"activeCellId": "c9", "notebookPath": nil}, "@@ Ada, in no cell"},
		} {
			ada.shows(c.shows)
			holds(t, d.says("look_around", nil), c.says)
		}
		d.Bad("read_nb_cells", d.in(dict{"ranges": []dict{{"id": "theirs"}}}), "Ada is not in a cell of this notebook now")
		ada.shows(dict{"activeCellId": "c1"})
		holds(t, d.says("read_nb_cells", dict{"ranges": []dict{{"id": "theirs"}}}), "@@1 c1", "Ada is in 1 c1")
	})
}

// The clients of one program see each other, and each other's activity, but not themselves.
func TestColleagues(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "a", "b")
		d.says("look_around", nil)
		d.known()
		d.Good("read_nb_cells", d.in(nil), nil)
		d.Good("modify_nb_cells", d.in(change(1, "bb", "")), nil)
		settle()
		holds(t, d.says("look_around", nil), "1 agent in "+d.path, "@@1 c1 agent AI Agent", "line 1 column 3", "editing")
		holds(t, d.asks("look_around", nil), "1 agent", "@@1 c1 agent AI Agent", ", in "+d.path, "editing")
		out := d.look()
		must.SliceLen(t, 1, out.People)
		test.True(t, out.People[0].Agent)
		test.Eq(t, "reading", out.People[0].Status)
		d.Bad("read_nb_cells", d.in(dict{"ranges": []dict{{"id": "theirs"}}}), "no one else is in this notebook")
		time.Sleep(5 * time.Second)
		if says := d.says("look_around", nil); strings.Contains(says, "editing") {
			t.Errorf("five seconds later: %s", says)
		}
	})
}

// A client's run is visible while it runs, and so is that its code waits for a person.
func TestColleagueRuns(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "import time\ntime.sleep(30)", "x = input('Which? ')")
		d.Good("execute_nb_cells", d.in(dict{"ranges": []dict{{"start": 0, "end": 2}}, "timeout": 1}), nil)
		settle()
		holds(t, d.says("look_around", nil), "@@0 c0 agent AI Agent", "running cell 0")
		time.Sleep(35 * time.Second)
		holds(t, d.says("look_around", nil), "@@1 c1 agent AI Agent", "waiting for you")
		time.Sleep(2 * time.Minute)
		says := d.says("look_around", nil)
		test.StrNotContains(t, says, "waiting", test.Sprint("when nobody has answered"))
		test.StrNotContains(t, says, "running", test.Sprint("when nobody has answered"))
	})
}

// If an answer shows a place, indexes then mean the current notebook, and it says which other cells have moved.
func TestPlacesOfPeopleAndMentions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		for name, calls := range map[string]func(d *duo, ada *somebody) string{
			"look_around":   func(d *duo, _ *somebody) string { return d.says("look_around", nil) },
			"list_mentions": func(d *duo, _ *somebody) string { return d.asks("list_mentions", dict{}) },
			"edit_text": func(d *duo, _ *somebody) string {
				return d.says("edit_text", dict{"old_text": "=", "new_text": "=="})
			},
		} {
			d := newDuo(t, "a = 1", "b = 2", "c 3").asOne()
			d.Read(d.path)
			ada := d.enters("ada", "Ada")
			ada.selects("c0", 0, 0)
			d.known(ada)
			ada.types("c0", " # @Duet look at this")
			ada.selects("c1", 0, 0)
			time.Sleep(5 * time.Second)
			d.Read(d.path)
			if err := ada.Notebook.Edit("insert", func(e *ydoc.Editor) error {
				_, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			settle()
			says := calls(d, ada)
			test.StrContains(t, says, "moved since: ", test.Sprint(name))
			test.StrContains(t, says, "c 3 is 3", test.Sprint(name))
			d.Good("modify_nb_cells", d.in(dict{"modifications": []dict{{"range": dict{"start": 3}, "content": "c = 3"}}, "exec": false}), nil)
			if _, cells := d.Room(d.path); cells[3].Source != "c = 3" {
				t.Errorf("%s: index 3 is another cell after it: %+v", name, cells)
			}
		}
	})
}
