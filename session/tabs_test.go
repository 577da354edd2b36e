package session_test

import (
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// If people's tabs are kept out of the rooms, the callers of each document are told once, and its session says so.
func TestTabsApart(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithTabsApart())
		m := sessiontest.Manager(t, s, session.Config{})
		for range 2 {
			d := sessiontest.Open(t, m, s.Notebook(t, "1"))
			said := d.Tabs()
			test.StrContains(t, said, "disable_rtc")
			test.StrContains(t, said, "tabs")
			if said := d.Tabs(); said != "" {
				t.Errorf("it says again %q", said)
			}
		}
		infos := m.Sessions(jupyter.Path{})
		must.SliceLen(t, 2, infos)
		test.StrContains(t, infos[0].Message, "disable_rtc")
	})
}

// Otherwise nothing is reported.
func TestTabsInRooms(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "1"))
		infos := m.Sessions(d.Path())
		said := d.Tabs()
		test.Eq(t, "", said)
		must.SliceLen(t, 1, infos)
		test.StrNotContains(t, infos[0].Message, "tabs")
	})
}

// The server is asked once for its setting, however many documents are opened, and again after a minute if that failed.
func TestTabsAreAskedForOnce(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithTabsApart())
		m := sessiontest.Manager(t, s, session.Config{})
		asked := s.Fake.AnswerNext(1, "GET", "/lab", 503)
		for _, want := range []struct {
			asked int
			says  bool
		}{{1, false}, {1, false}, {2, true}, {2, true}} {
			d := sessiontest.Open(t, m, s.Notebook(t, "1"))
			said := d.Tabs()
			test.Eq(t, want.asked, asked.Count())
			test.Eq(t, want.says, said != "")
			time.Sleep(40 * time.Second)
		}
	})
}
