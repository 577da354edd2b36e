package lease_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// With two processes of two waiting clients each, each mention is delivered to exactly one client.
func TestDeliveredOnce(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		rounds, calls := 20, 20
		if jupytertest.Real() {
			rounds = 3 // each takes seconds on a real server
		}
		s := jupytertest.Shared(t)
		r := newRoom(t, s, calls)
		all := []*process{r.opens(s), r.opens(s)}
		r.known()
		had := [2]int{}
		for round := range rounds {
			counted := tally{told: map[string][]string{}}
			ctx, stop := context.WithCancel(t.Context())
			var waiting sync.WaitGroup
			for i, p := range all {
				for client := range 2 {
					late := time.Duration(rand.IntN(400)) * time.Millisecond
					waiting.Go(func() {
						time.Sleep(late)
						p.takes(ctx, fmt.Sprint("c-", client), counted.of(fmt.Sprint(i)))
					})
				}
			}
			r.calls(fmt.Sprint("round ", round, ", call"), calls)
			sessiontest.Eventually(t, "all are delivered", func() bool { return len(counted.all()) == calls })
			time.Sleep(3 * time.Second) // a duplicate would have been delivered by then
			stop()
			waiting.Wait()
			for says, who := range counted.all() {
				must.SliceLen(t, 1, who)
				test.StrHasPrefix(t, fmt.Sprint("round ", round), says)
				had[strings.Index("01", who[0])]++
			}
			for _, p := range all {
				for _, id := range p.Mentions.All() {
					if s, _ := p.Mentions.Standing(id); s.Ours() {
						p.Mentions.Answered(id)
					}
				}
			}
			for _, p := range all {
				sessiontest.Eventually(t, "nobody has any to answer", func() bool { return len(p.listed()) == 0 })
			}
		}
		t.Logf("one process had %d of %d", had[0], rounds*calls)
		test.NotEq(t, 0, had[0], test.Sprint("one process had all"))
		test.NotEq(t, 0, had[1], test.Sprint("one process had all"))
	})
}

// A process that is alone does not write or wait.
func TestAlone(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		r := newRoom(t, s, 1)
		p := r.opens(s)
		r.known()
		r.calls("alone", 1)
		m := p.take("c-1", time.Minute)
		p.Mentions.Answered(m.ID)
		time.Sleep(5 * time.Second)
		got := p.state()
		test.Eq(t, "alone 0", m.Says)
		test.LessEq(t, 0, len(got))
	})
}

// A process that has just joined, and does not know who is in the room, does not deliver a mention that another has taken.
func TestNewcomer(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		r := newRoom(t, s, 5)
		counted := tally{told: map[string][]string{}}
		ctx, stop := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		one := r.opens(s)
		r.known()
		for i, p := range []*process{one, r.opens(s)} {
			waiting.Go(func() { p.takes(ctx, "c", counted.of(fmt.Sprint(i))) })
		}
		r.calls("new", 5)
		time.Sleep(20 * time.Second)
		stop()
		waiting.Wait()
		if got := counted.all(); len(got) != 5 {
			t.Errorf("told %v", got)
		}
		for says, who := range counted.all() {
			if len(who) != 1 {
				t.Errorf("%q was delivered to %q", says, who)
			}
		}
	})
}

// A released mention is delivered elsewhere; a taken one is listed as taken, and an answered one is not listed.
func TestAnswered(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		r := newRoom(t, s, 1)
		one, two := r.opens(s), r.opens(s)
		r.known()
		r.calls("first", 1)
		m := one.take("c-1", time.Minute)
		if other := two.take("c-1", 10*time.Second); other.ID != "" {
			t.Errorf("delivered again: %+v", other)
		}
		want := func(p *process, want ...string) {
			t.Helper()
			sessiontest.Eventually(t, fmt.Sprint("listed are ", want), func() bool { return slices.Equal(p.listed(), want) })
		}
		want(one, "first 0: c-1")
		want(two, "first 0: "+mentions.Elsewhere)
		theirs := two.Mentions.All()[0]
		_, err := two.Leases.Of(t.Context(), "c-1", theirs)
		must.Error(t, err, must.Sprint("answered by two"))
		test.StrContains(t, err.Error(), "was taken by another client", test.Sprint("answered by two"))
		one.Forget("c-1")
		if other := two.take("c-2", time.Minute); other.ID != theirs {
			t.Errorf("not delivered: %+v", other)
		}
		want(one, "first 0: "+mentions.Elsewhere)
		if _, err := one.Leases.Of(t.Context(), "c-2", m.ID); err == nil {
			t.Error("answered by two")
		}
		if got := one.state(); len(got) != 1 {
			t.Errorf("the state has %q", got)
		}
		two.Mentions.Answered(theirs)
		want(one)
		two.ends()
		time.Sleep(time.Minute)
		want(one)
		// The same words again are another call.
		r.calls("second", 1)
		if again := one.take("c-2", time.Minute); again.Says != "second 0" {
			t.Errorf("told %q", again.Says)
		}
	})
}

// The unanswered mentions of a process that leaves, or sends nothing any more, are delivered elsewhere.
func TestGone(t *testing.T) {
	for name, crash := range map[string]bool{"leaves": false, "crashes": true} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				r := newRoom(t, s, 2)
				cable := jupytertest.NewCable(t, s)
				one, two := r.opens(cable.Server), r.opens(s)
				r.known()
				r.calls("call", 2)
				first, second := one.take("c-1", time.Minute), one.take("c-2", time.Minute)
				one.Mentions.Answered(first.ID)
				if other := two.take("c-1", 10*time.Second); other.ID != "" {
					t.Errorf("delivered again: %+v", other)
				}
				began := time.Now()
				if crash {
					cable.Cut()
				} else {
					one.ends()
				}
				m := two.take("c-1", time.Minute)
				test.Eq(t, second.Says, m.Says)
				test.LessEq(t, 32*time.Second, time.Since(began))
				if m := two.take("c-1", time.Minute); m.ID != "" {
					t.Errorf("told %q", m.Says)
				}
			})
		})
	}
}

// In a room that is rejoined, the holder of a mention keeps it.
func TestJoinedAfresh(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		r := newRoom(t, s, 1)
		one, two := r.opens(s), r.opens(s)
		r.known()
		r.calls("call", 1)
		m := one.take("c-1", time.Minute)
		time.Sleep(3 * time.Second) // saved
		r.person.Leave()
		s.Fake.Restart(false)
		other := two.take("c-1", 2*time.Minute)
		test.Eq(t, "", other.ID)
		test.NotEq(t, "", m.ID)
		one.Mentions.Answered(m.ID)
		sessiontest.Eventually(t, "it is answered", func() bool { return len(two.listed()) == 0 })
	})
}

// While the room is away a mention is still delivered, and the other processes learn of it when the room is back.
func TestAway(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		r := newRoom(t, s, 1)
		cable := jupytertest.NewCable(t, s)
		one, two := r.opens(cable.Server), r.opens(s)
		r.known()
		r.calls("call", 1)
		sessiontest.Eventually(t, "it is heard", func() bool { return len(one.listed()) == 1 && len(two.listed()) == 1 })
		cable.Cut()
		if m := one.take("c-1", 20*time.Second); m.ID == "" {
			t.Error("not delivered")
		}
		cable.Mend()
		if m := two.take("c-1", 10*time.Second); m.ID == "" {
			sessiontest.Eventually(t, "it is known who has it", func() bool { return slices.Equal(two.listed(), []string{"call 0: " + mentions.Elsewhere}) })
		}
	})
}
