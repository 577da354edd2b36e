package people_test

import (
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/people"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Nobody and not known yet are different answers.
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
		if len(c.People) != 0 || c.Known.All() || c.Known.Cut || c.Known.Seconds() < 15 || c.Known.Seconds() > 18 {
			t.Errorf("at first: %+v, in %d s", c, c.Known.Seconds())
		}
		if l := m.Lobby(); len(l.Fronts) != 0 || l.Known.All() {
			t.Errorf("the lobby: %+v", l)
		}
		time.Sleep(14 * time.Second)
		p.Show(state) // she renews
		time.Sleep(time.Second)
		if c := d.Company(); len(c.People) != 1 || c.Known.All() {
			t.Errorf("when she has spoken: %+v", c)
		}
		time.Sleep(4 * time.Second)
		if c := d.Company(); len(c.People) != 1 || !c.Known.All() || c.Known.Seconds() != 0 {
			t.Errorf("in the end: %+v", c)
		}
		if l := m.Lobby(); len(l.Fronts) != 0 || !l.Known.All() {
			t.Errorf("the lobby in the end: %+v", l)
		}
	})
	if k := people.KnownSince(time.Time{}); !k.Cut || k.All() {
		t.Errorf("without a connection: %+v", k)
	}
}

// A tab that was killed is gone 30 s after its last word, whatever else comes or does not.
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
