package rtc_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// A replica without a user is not shown to others, but counts as one that may edit. When it writes for a user, others
// find the user's name by the edit's author, the replica's client id. Updates of appearances are few, however many appearances
// there are, and the last update wins.
func TestAppearancesOfOneReplica(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		srv := client(t, s)
		nobody := func(c *rtc.Config) { c.User = awareness.User{} }
		a, nb := join(t, srv, path, nobody)
		b, _ := join(t, srv, path, nobody)
		time.Sleep(20 * time.Second)
		must.SliceEmpty(t, b.Peers())
		test.SliceEqOp(t, []uint64{nb.ClientID()}, b.Replicas())
		only, ok := b.Sole()
		must.True(t, ok)
		test.Eq(t, nb.ClientID(), only)
		if _, _, ok := b.Named(nb.ClientID()); ok {
			t.Error("it has a name before it has worked for anybody")
		}
		a.SetAppearance(70, &rtc.Appearance{User: user("Cursor")})
		a.SetAppearance(71, &rtc.Appearance{User: user("Claude"), Writes: true})
		insert(t, nb, 0, "y = 2")
		if err := a.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := b.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		name, agent, ok := b.Named(nb.ClientID())
		test.Eq(t, "Claude", name)
		test.True(t, agent)
		test.True(t, ok)
		only, ok = b.Sole()
		must.True(t, ok)
		test.Eq(t, nb.ClientID(), only)
		test.SliceLen(t, 2, b.Peers())
		before := len(s.Fake.Rooms.Received(path)[0])
		for range 100 {
			for _, text := range []string{"reading", "editing"} {
				a.SetAppearance(70, &rtc.Appearance{User: user("Cursor"), Status: awareness.Status{Text: text}})
				time.Sleep(10 * time.Millisecond)
			}
		}
		time.Sleep(time.Second)
		if n := len(s.Fake.Rooms.Received(path)[0]) - before; n > 10 {
			t.Errorf("%d messages in two seconds of news", n)
		}
		if i := slices.IndexFunc(b.Peers(), func(p rtc.Peer) bool { return p.ClientID == 70 && p.Status.Text == "editing" }); i < 0 {
			t.Errorf("in the end others see %+v", b.Peers())
		}
		a.SetAppearance(70, nil)
		a.SetAppearance(71, nil)
		time.Sleep(time.Second)
		name, _, _ = b.Named(nb.ClientID())
		must.SliceEmpty(t, b.Peers())
		test.Eq(t, "Claude", name)
	})
}
