package globalawareness

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shown records the state that people would see.
type shown struct {
	all  []rtc.Visitor
	left bool
}

func (s *shown) Show(all ...rtc.Visitor) { s.all = all }
func (s *shown) Leave(context.Context)   { s.left = true }
func (s *shown) Peers() []rtc.Peer       { return []rtc.Peer{{ClientID: 7}} }
func (s *shown) Since() time.Time        { return time.Unix(1, 0) }

// The lobby is entered with the first document and left with the last one, and shows who has which open.
func TestKeeper(t *testing.T) {
	var entered []*shown
	k := New(func() Lobby {
		entered = append(entered, &shown{})
		return entered[len(entered)-1]
	})
	path := func(p string) jupyter.Path { return jupyter.MustPath(p) }
	ann, ben := awareness.User{Username: "x-1", DisplayName: "Claude"}, awareness.User{Username: "x-2", DisplayName: "Cursor"}
	sees := func(entry int, want ...string) {
		t.Helper()
		if len(entered) != entry {
			t.Fatalf("entered %d times, want %d", len(entered), entry)
		}
		var got []string
		for _, v := range entered[entry-1].all {
			got = append(got, fmt.Sprintf("%s in %s of %v", v.User.DisplayName, v.Current, v.Documents))
		}
		test.SliceEqOp(t, want, got)
		test.False(t, entered[entry-1].left)
	}
	others, since := k.Others()
	must.Nil(t, others)
	test.True(t, since.IsZero())
	k.Opened(path("b"))
	sees(1)
	others, since = k.Others()
	must.SliceLen(t, 1, others)
	test.False(t, since.IsZero())
	k.Came(ann, path("b"))
	sees(1, "Claude in b of [b]")
	k.Opened(path("a"))
	k.Came(ann, path("a"))
	k.Came(ben, path("a"))
	sees(1, "Claude in a of [a b]", "Cursor in a of [a]")
	ann.DisplayName = "Claude (AI)"
	k.Came(ann, path("b"))
	sees(1, "Claude (AI) in a of [a b]", "Cursor in a of [a]")
	k.Moved(path("b"), path("c"))
	sees(1, "Claude (AI) in c of [a c]", "Cursor in a of [a]")
	k.Left("x-1", path("c"))
	sees(1, "Claude (AI) in a of [a]", "Cursor in a of [a]")
	k.Left("x-1", path("a"))
	k.Left("x-1", path("a"))
	sees(1, "Cursor in a of [a]")
	k.Closed(t.Context(), path("a"))
	sees(1)
	k.Closed(t.Context(), path("c"))
	if !entered[0].left {
		t.Error("the lobby was not left with the last document")
	}
	k.Came(ann, path("d")) // before Opened
	k.Opened(path("d"))
	sees(2, "Claude (AI) in d of [d]")
	k.Close(t.Context())
	k.Close(t.Context())
	if !entered[1].left {
		t.Error("the lobby was not left in the end")
	}
}
