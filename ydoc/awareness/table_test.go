package awareness_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is the time at which tests begin; only differences matter.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func entry(client, clock uint64, state string) awareness.State {
	s := awareness.State{ClientID: client, Clock: clock}
	if state != "" {
		s.Raw = json.RawMessage(state)
	}
	return s
}

// apply applies announcements that must be accepted and returns the ids that changed.
func apply(t *testing.T, tab *awareness.Table, now time.Time, states ...awareness.State) []uint64 {
	t.Helper()
	changed, err := tab.Apply(awareness.EncodeUpdate(states), now)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// present lists the present peers as "id=state".
func present(tab *awareness.Table) string {
	var all []string
	for _, s := range tab.Peers() {
		all = append(all, fmt.Sprintf("%d=%s", s.ClientID, s.Raw))
	}
	return strings.Join(all, " ")
}

func TestHigherClockWins(t *testing.T) {
	tab := awareness.NewTable(1)
	for _, step := range []struct {
		give    awareness.State
		changed bool
		want    string
	}{
		{entry(7, 3, `{"a":1}`), true, `7={"a":1}`},
		{entry(7, 2, `{"a":2}`), false, `7={"a":1}`},
		{entry(7, 3, `{"a":3}`), false, `7={"a":1}`},
		{entry(7, 4, `{"a":1}`), false, `7={"a":1}`}, // a renewal
		{entry(7, 5, `{"a":5}`), true, `7={"a":5}`},
		{entry(7, 4, ""), false, `7={"a":5}`},
		{entry(7, 5, ""), true, ""}, // null wins at an equal clock
		{entry(7, 5, `{"a":6}`), false, ""},
		{entry(7, 6, `[1]`), true, `7=[1]`}, // any JSON is a state
		{entry(7, 7, `"x"`), true, `7="x"`},
	} {
		changed := apply(t, tab, start, step.give)
		if got := len(changed) > 0; got != step.changed {
			t.Errorf("after %d/%s: changed is %v, want %v", step.give.Clock, step.give.Raw, changed, step.changed)
		}
		if got := present(tab); got != step.want {
			t.Errorf("after %d/%s: %q, want %q", step.give.Clock, step.give.Raw, got, step.want)
		}
	}
}

func TestSilentPeersExpire(t *testing.T) {
	if awareness.Timeout != 30*time.Second {
		t.Errorf("timeout %v: others forget us after 30 s", awareness.Timeout)
	}
	tab := awareness.NewTable(1)
	apply(t, tab, start, entry(7, 1, `{}`), entry(8, 1, `{}`))
	apply(t, tab, start.Add(20*time.Second), entry(8, 2, `{}`), entry(7, 1, `{}`)) // the echo of 7 is not a renewal
	if ids := tab.Expire(start.Add(awareness.Timeout - 1)); len(ids) != 0 {
		t.Errorf("%v expired before the timeout", ids)
	}
	if ids := tab.Expire(start.Add(awareness.Timeout)); !slices.Equal(ids, []uint64{7}) {
		t.Errorf("%v expired, want 7", ids)
	}
	if got := present(tab); got != "8={}" {
		t.Errorf("%q are left", got)
	}
	if changed := apply(t, tab, start.Add(31*time.Second), entry(7, 1, `{}`)); len(changed) != 0 {
		t.Error("a late echo brought back who had expired")
	}
	if changed := apply(t, tab, start.Add(32*time.Second), entry(7, 2, `{}`)); !slices.Equal(changed, []uint64{7}) {
		t.Error("a new announcement did not bring back who had expired")
	}
}

func TestLocalStateIsAnnouncedAndRenewed(t *testing.T) {
	a, b := awareness.NewTable(1), awareness.NewTable(2)
	give := func(update []byte) []uint64 {
		t.Helper()
		changed, err := b.Apply(update, start)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	got := a.Renew()
	must.SliceEmpty(t, give(got))
	test.Eq(t, "\x00", string(got))
	update, err := a.SetLocal(map[string]any{"user": awareness.User{Name: "Ann"}})
	if err != nil {
		t.Fatal(err)
	}
	if changed := give(update); !slices.Equal(changed, []uint64{1}) {
		t.Errorf("changed: %v", changed)
	}
	before := b.Peers()[0]
	if changed := give(a.Renew()); len(changed) != 0 {
		t.Errorf("a renewal changed %v", changed)
	}
	after := b.Peers()[0]
	if after.Clock != before.Clock+1 {
		t.Errorf("the renewal's clock is %d after %d", after.Clock, before.Clock)
	}
	if update, err = a.SetLocal(nil); err != nil {
		t.Fatal(err)
	}
	changed := give(update)
	test.SliceEqOp(t, []uint64{1}, changed, test.Sprint("after the goodbye"))
	test.Eq(t, "", present(b), test.Sprint("after the goodbye"))
	if len(a.Peers()) != 0 {
		t.Error("our own entry is among the peers")
	}
}

func TestLocalStateIsDefended(t *testing.T) {
	for name, attack := range map[string]func(clock uint64) awareness.State{
		"null":           func(clock uint64) awareness.State { return entry(1, clock, "") },
		"a higher null":  func(clock uint64) awareness.State { return entry(1, clock+9, "") },
		"a higher state": func(clock uint64) awareness.State { return entry(1, clock+9, `{"user":"x"}`) },
	} {
		tab, other := awareness.NewTable(1), awareness.NewTable(2)
		if _, err := tab.SetLocal(map[string]string{"k": "v"}); err != nil {
			t.Fatal(err)
		}
		hit := attack(tab.Local().Clock)
		if changed := apply(t, tab, start, hit); !slices.Equal(changed, []uint64{1}) {
			t.Errorf("%s: changed %v, want our own id", name, changed)
		}
		apply(t, other, start, hit)
		if _, err := other.Apply(tab.Renew(), start); err != nil {
			t.Fatal(err)
		}
		if got := present(other); got != `1={"k":"v"}` {
			t.Errorf("%s: after the defence the other sees %q", name, got)
		}
	}
}

func TestEchoesOfOurOwnAreNoAttack(t *testing.T) {
	tab := awareness.NewTable(1)
	update, err := tab.SetLocal(map[string]string{"k": "v"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		changed, err := tab.Apply(update, start)
		must.NoError(t, err)
		test.SliceEmpty(t, changed)
		tab.Renew()
	}
}

func TestTwoClientsWithOneIDDoNotFightWithoutEnd(t *testing.T) {
	a, b := awareness.NewTable(1), awareness.NewTable(1)
	if _, err := a.SetLocal("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.SetLocal("b"); err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for speaker, hearer := a, b; rounds < 100; rounds++ {
		speaker, hearer = hearer, speaker
		changed, err := hearer.Apply(speaker.Renew(), start)
		if err != nil {
			t.Fatal(err)
		}
		if len(changed) == 0 {
			break
		}
	}
	if rounds > 4 {
		t.Errorf("%d announcements within a second", rounds)
	}
}

func TestMalformedUpdatesChangeNothing(t *testing.T) {
	good := awareness.EncodeUpdate([]awareness.State{entry(7, 1, `{"a":1}`), entry(8, 1, `{"b":"é😀"}`)})
	bad := map[string][]byte{
		"empty":              {},
		"trailing bytes":     append(slices.Clone(good), 0),
		"invalid JSON":       awareness.EncodeUpdate([]awareness.State{entry(7, 2, `{}`), entry(8, 2, `{"a"`)}),
		"empty JSON":         {1, 7, 2, 0},
		"undefined":          awareness.EncodeUpdate([]awareness.State{entry(7, 2, `undefined`)}),
		"invalid UTF-8":      {1, 7, 2, 3, '"', 0xff, '"'},
		"a huge count":       {0xff, 0xff, 0xff, 0xff, 0x7f},
		"a huge length":      {1, 7, 2, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"a clock of 2^53":    {1, 7, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 2, '{', '}'},
		"a clock of 2^53−1":  {1, 7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 2, '{', '}'},
		"an endless integer": {1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
	}
	for n := range good {
		bad[fmt.Sprintf("cut to %d bytes", n)] = good[:n]
	}
	tab := awareness.NewTable(1)
	apply(t, tab, start, entry(7, 1, `{"old":true}`))
	for name, update := range bad {
		changed, err := tab.Apply(update, start)
		var fault *wire.FormatError
		must.True(t, errors.As(err, &fault), must.Sprint(name))
		test.Nil(t, changed, test.Sprint(name))
	}
	if got := present(tab); got != `7={"old":true}` {
		t.Errorf("the table is now %q", got)
	}
}

func TestTableIsBounded(t *testing.T) {
	lim := wire.DefaultLimits
	lim.AwarenessClients = 3
	lim.AwarenessStateBytes = 100
	tab := awareness.NewTableLimits(1, lim)
	apply(t, tab, start, entry(7, 1, "{}"), entry(8, 1, "{}"), entry(9, 1, "{}"))
	if _, err := tab.Apply(awareness.EncodeUpdate([]awareness.State{entry(10, 1, "{}")}), start); err == nil {
		t.Error("a fourth peer fits into a table of three")
	}
	apply(t, tab, start.Add(1), entry(8, 2, ""))
	apply(t, tab, start.Add(2), entry(10, 1, "{}")) // replaces 8, which is absent
	if got := present(tab); got != "7={} 9={} 10={}" {
		t.Errorf("present: %s", got)
	}
	long := `"` + strings.Repeat("x", 100) + `"`
	if _, err := tab.Apply(awareness.EncodeUpdate([]awareness.State{entry(7, 9, long)}), start); err == nil {
		t.Error("a state beyond the limit is taken")
	}
	if _, err := tab.SetLocal(long); err == nil {
		t.Error("a local state beyond the limit is announced")
	}
	if _, err := tab.SetLocal(func() {}); err == nil {
		t.Error("a function is announced")
	}
}

func TestBytesOfAllPeersAreBounded(t *testing.T) {
	tab := awareness.NewTable(1)
	big := `"` + strings.Repeat("x", 200<<10) + `"`
	var err error
	n := 0
	for ; n < 1000 && err == nil; n++ {
		_, err = tab.Apply(awareness.EncodeUpdate([]awareness.State{entry(uint64(n)+10, 1, big)}), start)
	}
	must.Error(t, err)
	test.LessEq(t, 17<<20, n*len(big))
	apply(t, tab, start, entry(10, 2, "")) // a goodbye makes room
	apply(t, tab, start, entry(5000, 1, big))
}

func TestTableIsSafeForConcurrentUse(t *testing.T) {
	tab := awareness.NewTable(1)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				now := start.Add(time.Duration(i) * time.Second)
				if _, err := tab.SetLocal(i); err != nil {
					t.Error(err)
				}
				if _, err := tab.Apply(awareness.EncodeUpdate([]awareness.State{entry(uint64(g)+2, uint64(i), "{}")}), now); err != nil {
					t.Error(err)
				}
				tab.Renew()
				tab.Expire(now)
				tab.Peers()
			}
		})
	}
	wg.Wait()
	if c := tab.Local().Clock; c != 8*200*2 {
		t.Errorf("the clock is %d after %d announcements", c, 8*200*2)
	}
}
