package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Where people's tabs are kept out of the rooms, the caller of each document hears of it once, and its session says so.
func TestTabsApart(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithTabsApart())
		m := sessiontest.Manager(t, s, session.Config{})
		for range 2 {
			d := sessiontest.Open(t, m, s.Notebook(t, "1"))
			if said := d.Tabs(); !strings.Contains(said, "disable_rtc") || !strings.Contains(said, "tabs") {
				t.Errorf("it says %q", said)
			}
			if said := d.Tabs(); said != "" {
				t.Errorf("it says again %q", said)
			}
		}
		infos := m.Sessions(jupyter.Path{})
		if len(infos) != 2 || !strings.Contains(infos[0].Message, "disable_rtc") {
			t.Errorf("the sessions are %+v", infos)
		}
	})
}

// Elsewhere nothing is said.
func TestTabsInRooms(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "1"))
		infos := m.Sessions(d.Path())
		if said := d.Tabs(); said != "" || len(infos) != 1 || strings.Contains(infos[0].Message, "tabs") {
			t.Errorf("it says %q, %+v", said, infos)
		}
	})
}

// The server is asked once for its setting, however many documents are opened, and again after a minute where it failed.
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
			if said := d.Tabs(); asked.Count() != want.asked || (said != "") != want.says {
				t.Errorf("asked %d times, says %q; want %+v", asked.Count(), said, want)
			}
			time.Sleep(40 * time.Second)
		}
	})
}
