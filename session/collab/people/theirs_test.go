package people_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// theirs asks for a person's cell, and compares the answer with the cell, or the error with the expected parts.
func (r *room) theirs(who, cell string, says ...string) {
	r.t.Helper()
	at, err := r.company().Theirs(who)
	switch {
	case cell != "" && (err != nil || at.Cell != cell):
		r.t.Errorf("%q is in %q (%v), want %q", who, at.Cell, err, cell)
	case cell == "" && err == nil:
		r.t.Errorf("%q is in %q, want a refusal", who, at.Cell)
	}
	for _, want := range says {
		if err != nil && !strings.Contains(err.Error(), want) {
			r.t.Errorf("%q: %q does not say %q", who, err, want)
		}
	}
}

func TestTheirs(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		r.theirs("", "", "not known yet", "18 s")
		r.theirs("ada", "", "yet")
		ada := r.enters("ada-1", "Ada")
		ada.selects("c1", 0, 0)
		r.theirs("", "", "whether Ada is alone", `give person "ada-1"`)
		r.theirs("ad", "c1")
		time.Sleep(20 * time.Second)
		ada.shows(nil)
		r.theirs("", "c1")
		r.theirs("ADA", "c1")
		r.theirs("bob", "", "does not match anyone", "Ada (ada-1)")
		ada.shows(dict{"cursors": nil})
		r.theirs("", "", "Ada is not in a cell")
		ada.selects("c1", 0, 0)

		bob := r.enters("bob", "Bob")
		bob.selects("c2", 1, 1)
		r.theirs("", "", "several people", "Ada (ada-1), Bob (bob)", "person")
		r.theirs("b", "c2")

		twin := r.enters("ada-2", "Ada") // two people with one name
		twin.selects("c0", 0, 0)
		r.theirs("Ada", "", "matches several", "Ada (ada-1), Ada (ada-2)", "username")
		r.theirs("ada-2", "c0")
		r.theirs("ada-1", "c1")
		c := r.company()
		for _, p := range c.Persons() {
			want := p.Name
			if p.Name == "Ada" {
				want += " (" + p.Username + ")"
			}
			if got := c.Called(p); got != want {
				t.Errorf("they are called %s, want %s", got, want)
			}
		}
		adam := r.enters("x", "Adam")
		adam.selects("c2", 0, 0)
		r.theirs("adam", "c2")
		r.theirs("a", "", "matches several")
	}, "a", "b", "cc")
}

// Agents do not count in the question for a person's cell.
func TestTheirsIsNoAgents(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		other := r.enters("robot", "Robot")
		other.shows(dict{"agent": "nbduet"})
		other.selects("c0", 0, 0)
		time.Sleep(19 * time.Second)
		other.shows(nil)
		r.theirs("", "", "no one else")
		r.theirs("robot", "", "no one else")
		p := r.only()
		test.True(t, p.Agent)
		test.Eq(t, "c0", p.Places[0].Cell)
	}, "a")
}

// A person with two tabs is in the cell of the tab that moved or typed last, if that is known.
func TestTwoTabs(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		one, two := r.enters("ada", "Ada"), r.enters("ada", "Ada")
		one.selects("c0", 0, 0)
		two.selects("c1", 0, 0)
		time.Sleep(10 * time.Second)
		one.shows(nil)
		two.shows(nil)
		time.Sleep(10 * time.Second)
		p := r.only()
		must.SliceLen(t, 2, p.Places)
		test.NotEq(t, p.Places[1].Cell, p.Places[0].Cell)
		r.theirs("", "", "several tabs")
		two.selects("c1", 1, 1)
		r.theirs("", "c1")
		one.types("c2", "!")
		r.theirs("", "c0") // the caret of the tab that typed
		if p := r.only(); p.Places[0].Client != one.Notebook.ClientID() {
			t.Errorf("first is %+v", p.Places[0])
		}
		two.selects("c2", 0, 0)
		r.theirs("", "c2")
		two.shows(dict{"cursors": nil})
		r.theirs("", "", "not in a cell")
	}, "a", "b", "c")
	inRoom(t, func(_ *testing.T, r *room) {
		one, two := r.enters("ada", "Ada"), r.enters("ada", "Ada")
		one.selects("c1", 0, 0)
		two.selects("c1", 1, 1)
		time.Sleep(19 * time.Second)
		r.theirs("", "c1")
	}, "a", "b")
}
