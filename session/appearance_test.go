package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// as returns the context of a client's call.
func as(ctx context.Context, client string) context.Context {
	return origin.With(ctx, origin.Author{Client: client, Call: 1})
}

// calls opens a document once as a client.
func calls(t *testing.T, m *session.Manager, client, name, path string) {
	t.Helper()
	m.Presence.Said(client, presence.Self{Name: name})
	d, err := m.Open(as(t.Context(), client), jupyter.MustPath(path))
	if err != nil {
		t.Fatal(err)
	}
	d.Release()
}

// appearances lists the agents that a person sees, with their activities.
func appearances(p *sessiontest.Person) string {
	p.Seen.Expire(time.Now())
	var all []string
	for _, s := range p.Seen.Peers() {
		if u, ok := s.User(); ok && s.Agent() != "" {
			all = append(all, strings.TrimSuffix(u.DisplayName+": "+s.Status().Text, ": "))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// sees waits until a person sees agents, and no others.
func sees(t *testing.T, p *sessiontest.Person, want string) {
	t.Helper()
	for end := time.Now().Add(sessiontest.Timeout); appearances(p) != want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the person sees %q, want %q", appearances(p), want)
		}
	}
}

// shownAs returns the state that a person shows.
func shownAs(name string) map[string]any {
	return map[string]any{"user": map[string]any{"username": strings.ToLower(name), "name": name, "display_name": name}}
}

// Each client is shown separately from its first call on, with its activity, until it leaves or has been idle for long.
func TestAppearancesComeAndGo(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{IdleTimeout: time.Minute})
		path := s.Notebook(t, "a", "b")
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		d, err := m.Open(t.Context(), jupyter.MustPath(path)) // as a run that is taken up does
		if err != nil {
			t.Fatal(err)
		}
		defer d.Release()
		time.Sleep(20 * time.Second)
		sees(t, p, "")
		calls(t, m, "1", "claude-code", path)
		calls(t, m, "2", "cursor", path)
		sees(t, p, "Claude: reading, Cursor: reading")
		time.Sleep(5 * time.Second)
		sees(t, p, "Claude, Cursor")
		if err := d.Edit(as(t.Context(), "2"), "edit", func(e *ydoc.Editor) error { return e.SetSource("c1", "bb") }); err != nil {
			t.Fatal(err)
		}
		sees(t, p, "Claude, Cursor: editing")
		d.Point(as(t.Context(), "1"), "c0", 1)
		d.Point(as(t.Context(), "2"), "c1", 2)
		carets := func() (all string) {
			for _, st := range p.Seen.Peers() {
				for _, c := range st.Cursors() {
					u, _ := st.User()
					id, at, _ := p.Notebook.ResolvePosition(c.Head)
					all += fmt.Sprintf("%s %s:%d %s;", u.DisplayName, id, at, st.Status().Cell)
				}
			}
			return all
		}
		sessiontest.Eventually(t, "each has a caret", func() bool {
			return strings.Contains(carets(), "Claude c0:1 ;") && strings.Contains(carets(), "Cursor c1:2 c1;")
		})
		end := m.Presence.Waiting("1")
		sees(t, p, "Claude: waiting for you, Cursor: editing")
		end()
		time.Sleep(5 * time.Second)
		sees(t, p, "Claude, Cursor")
		m.Forget("2")
		sees(t, p, "Claude")
		time.Sleep(time.Minute)
		sees(t, p, "")
		calls(t, m, "1", "claude-code", path)
		sees(t, p, "Claude: reading")
		if len(d.Company().People) > 0 {
			t.Errorf("our own are others: %+v", d.Company().People)
		}
	})
}

// No client has the name of a person in the room or on the server, whichever came first.
func TestNobodyGoesByAPersonsName(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "a")
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		calls(t, m, "1", "claude-code", path)
		sees(t, p, "Claude: reading")
		p.Show(shownAs("CLAUDE"))
		sessiontest.Eventually(t, "the agent has given way", func() bool { return strings.HasPrefix(appearances(p), "Claude (AI)") })
		calls(t, m, "2", "claude-code", path)
		sessiontest.Eventually(t, "a second one has a name of its own", func() bool { return strings.Contains(appearances(p), "Claude 2") })
	})
}

// After a lost connection is restored, all clients are shown again; those of a killed program disappear 30 s later.
func TestAppearancesSurviveTheConnection(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "a")
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		calls(t, m, "1", "claude-code", path)
		calls(t, m, "2", "cursor", path)
		time.Sleep(5 * time.Second)
		sees(t, p, "Claude, Cursor")
		s.Fake.Rooms.Drop(path) // the person's connection, too
		again := sessiontest.PersonIn(t, m.Servers().Documents, path)
		time.Sleep(20 * time.Second)
		sees(t, again, "Claude, Cursor")
		s.Fake.Rooms.Mute(true)
		time.Sleep(awareness.Timeout)
		if got := appearances(again); got != "" {
			t.Errorf("30 s after the last word the person sees %s", got)
		}
		s.Fake.Rooms.Mute(false)
	})
}

// Twenty idle clients in one notebook are twenty entries, and cause less than 5 kB a second of traffic to and from the
// server (measured: 1.7 kB).
func TestTwentyIdleClientsAreQuiet(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "a")
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		for i := range 20 {
			calls(t, m, fmt.Sprint(i), "my-own-agent-with-a-long-name", path)
		}
		time.Sleep(10 * time.Second)
		if n := strings.Count(appearances(p), "my-own"); n != 20 {
			t.Errorf("the person sees %d agents", n)
		}
		before := p.Heard.Load()
		const span = 2 * time.Minute
		time.Sleep(span)
		rate := 2 * float64(p.Heard.Load()-before) / span.Seconds()
		t.Logf("%.0f bytes a second", rate)
		test.LessEq(t, 5_000, rate)
		test.NotEq(t, 0, rate)
	})
}
