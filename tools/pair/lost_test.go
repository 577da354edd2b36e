package pair_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// apart returns an agent that reaches the server over a cable, and a person who does not.
func apart(t *testing.T, sources ...string) (d *duo, cable *jupytertest.Cable, ada *sessiontest.Person) {
	t.Helper()
	s := jupytertest.Shared(t)
	cable = jupytertest.NewCable(t, s)
	d = &duo{Rig: toolstest.NewOn(t, cable.Server), t: t, path: s.Notebook(t, sources...)}
	d.agent(tools.Config{})
	d.Read(d.path)
	ada = sessiontest.PersonIn(t, toolstest.New(t).Srv, d.path)
	ada.Show(toolstest.Dict{"user": toolstest.Dict{"username": "ada", "name": "Ada", "display_name": "Ada", "initials": "A", "color": "red"}})
	time.Sleep(time.Second)
	return d, cable, ada
}

func firstCell(source string) func(e *ydoc.Editor) error {
	return func(e *ydoc.Editor) error { return e.SetSource("c0", source) }
}

// whole fails unless a call answers with the whole notebook, because the changes since a revision are unknown.
func (d *duo) whole(name string, args toolstest.Dict, source string) (revision string) {
	d.t.Helper()
	var all notebook.ReadResult
	d.Good(name, toolstest.With(args, "path", d.path), &all)
	must.SliceNotEmpty(d.t, all.Cells, must.Sprint(name))
	test.Eq(d.t, source, all.Cells[0].Source, test.Sprint(name))
	test.StrContains(d.t, all.Message, "are not known: it is older than the stored history", test.Sprint(name))
	return all.Revision
}

// unchanged fails unless nothing has changed since a revision of before, whose snapshot the journal has.
func (d *duo) unchanged(revision string) (now string) {
	d.t.Helper()
	got := d.since(revision, true)
	test.SliceEmpty(d.t, got.Changes)
	test.StrContains(d.t, got.Message, "compared with the notebook of ")
	return got.Revision
}

// After the server has replaced the notebook by another program's file, the authors of the changes before are unknown.
func TestChangesAfterAReload(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1", "b = 2")
		d.Read(d.path) // people who came before us are not known at once
		ada := d.person("Ada")
		d.types(ada, firstCell("a = 11"))
		d.Good("edit_text", toolstest.Dict{"path": d.path, "cell_id": "c1", "old_text": "2", "new_text": "22"}, nil)
		read := d.Read(d.path)
		d.OnDisk(d.path, "a = 11", "b = 22")
		full := filepath.Join(d.Server.Root, d.path)
		time.Sleep(2 * time.Second) // otherwise the server takes it for its own last save
		if err := os.WriteFile(full, []byte(strings.Replace(d.Server.Read(t, d.path), "a = 11", "a = 3", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		d.Await(d.path, "a = 3")
		got := d.since(read.Revision, false)
		must.SliceLen(t, 1, got.Changes)
		test.Eq(t, "-a = 11\n+a = 3", got.Changes[0].Diff)
		test.Eq(t, "unknown", got.Changes[0].By)
		test.StrContains(t, got.Message, "by whom is not known")
		now := d.whole("wait_for_change", toolstest.Dict{"since": read.Revision}, "a = 3")
		d.types(ada, firstCell("a = 33"))
		got = d.since(now, false)
		must.SliceLen(t, 1, got.Changes)
		test.Eq(t, "-a = 3\n+a = 33", got.Changes[0].Diff)
		test.Eq(t, "Ada", got.Changes[0].By)
	})
}

// Changes during an outage are listed afterwards: earlier revisions are still known.
func TestChangesOverAnOutage(t *testing.T) {
	for name, cut := range map[string]func(*jupytertest.Cable){
		"dropped": func(c *jupytertest.Cable) { c.Drop() },
		"cut":     func(c *jupytertest.Cable) { c.Cut() },
		"stalled": func(c *jupytertest.Cable) { c.Stall() },
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d, cable, ada := apart(t, "a = 1")
				read := d.Read(d.path)
				cut(cable)
				edit(t, ada, firstCell("a = 12"))
				time.Sleep(10 * time.Second)
				cable.Mend()
				edit(t, ada, firstCell("a = 123"))
				d.Await(d.path, "a = 123")
				got := d.since(read.Revision, false)
				must.SliceLen(t, 1, got.Changes)
				test.Eq(t, "-a = 1\n+a = 123", got.Changes[0].Diff)
				test.Eq(t, "Ada", got.Changes[0].By)
			})
		})
	}
}

// A room that had to be rejoined is a new one: it is compared with the snapshot of before, and a waiting call shows it.
func TestChangesOfARoomJoinedAfresh(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "a = 1")
		read := d.Read(d.path)
		time.Sleep(5 * time.Second)
		restart := func(in time.Duration) (done chan struct{}) {
			done = make(chan struct{})
			go func() {
				defer close(done)
				time.Sleep(in)
				d.Server.Fake.Restart(false)
			}()
			return done
		}
		<-restart(0)
		time.Sleep(time.Minute)
		now := d.unchanged(read.Revision)
		began := time.Now()
		done := restart(10 * time.Second)
		now = d.whole("wait_for_change", toolstest.Dict{"since": now, "timeout": 600}, "a = 1")
		took := time.Since(began)
		test.GreaterEq(t, 10*time.Second, took)
		test.LessEq(t, time.Minute, took)
		<-done
		if got := d.since(now, true); len(got.Changes) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// A notebook that was closed meanwhile because it was unused has a new history when it is opened again.
func TestChangesAfterEviction(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "a = 1")
		read := d.Read(d.path)
		time.Sleep(session.DefaultIdleTimeout + time.Minute)
		list := d.Work.Sessions(jupyter.MustPath(d.path))
		must.SliceLen(t, 1, list)
		test.Eq(t, session.Disconnected, list[0].Status)
		now := d.unchanged(read.Revision)
		d.Good("end_nb_session", toolstest.Dict{"path": d.path}, nil)
		d.unchanged(now)
	})
}

func edit(t *testing.T, p *sessiontest.Person, fn func(e *ydoc.Editor) error) {
	t.Helper()
	if err := p.Notebook.Edit("type", fn); err != nil {
		t.Fatal(err)
	}
}
