package people_test

import (
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// An empty room and an unknown one get different answers.
func TestNotKnownYet(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "a")
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		state := dict{"user": dict{"username": "ada", "name": "Ada", "display_name": "Ada"}}
		p.Show(state)
		time.Sleep(time.Second)
		d := sessiontest.Open(t, m, path)
		c := d.Company()
		must.SliceEmpty(t, c.People, must.Sprint("at first"))
		test.False(t, c.Known.All(), test.Sprint("at first"))
		test.False(t, c.Known.Cut, test.Sprint("at first"))
		test.GreaterEq(t, 15, c.Known.Seconds(), test.Sprint("at first"))
		test.LessEq(t, 18, c.Known.Seconds(), test.Sprint("at first"))
		l := m.Presence.Lobby()
		must.SliceEmpty(t, l.Fronts, must.Sprint("the lobby"))
		test.False(t, l.Known.All(), test.Sprint("the lobby"))
		time.Sleep(14 * time.Second)
		p.Show(state) // she renews
		time.Sleep(time.Second)
		c = d.Company()
		must.SliceLen(t, 1, c.People, must.Sprint("when she has spoken"))
		test.False(t, c.Known.All(), test.Sprint("when she has spoken"))
		time.Sleep(4 * time.Second)
		c = d.Company()
		must.SliceLen(t, 1, c.People, must.Sprint("in the end"))
		test.True(t, c.Known.All(), test.Sprint("in the end"))
		test.Eq(t, 0, c.Known.Seconds(), test.Sprint("in the end"))
		l = m.Presence.Lobby()
		must.SliceEmpty(t, l.Fronts, must.Sprint("the lobby in the end"))
		test.True(t, l.Known.All(), test.Sprint("the lobby in the end"))
	})
	k := people.KnownSince(time.Time{})
	test.True(t, k.Cut, test.Sprint("without a connection"))
	test.False(t, k.All(), test.Sprint("without a connection"))
}

// A killed tab disappears 30 s after its last message, regardless of other messages.
func TestKilledTab(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		ada := r.enters("ada", "Ada")
		ada.selects("c0", 0, 0)
		said := time.Now()
		ada.Leave()
		for len(r.company().People) > 0 {
			time.Sleep(100 * time.Millisecond)
			if time.Since(said) > 2*awareness.Timeout {
				t.Fatal("it stays")
			}
		}
		if gone := time.Since(said); gone > awareness.Timeout {
			t.Errorf("it is gone after %v", gone)
		}
		if len(r.doc.People()) != 0 {
			t.Error("others still list it")
		}
	}, "a")
}
