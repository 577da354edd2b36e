package lobby

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shown records what people would see.
type shown struct {
	current string
	docs    []string
	left    bool
}

func (s *shown) Show(current string, docs []string) { s.current, s.docs = current, docs }
func (s *shown) Leave(context.Context)              { s.left = true }
func (s *shown) Peers() []rtc.Peer                  { return []rtc.Peer{{ClientID: 7}} }
func (s *shown) Since() time.Time                   { return time.Unix(1, 0) }

// The lobby is entered with the first document and left with the last one, and shows the open ones meanwhile.
func TestKeeper(t *testing.T) {
	var entered []*shown
	k := New(func() Lobby {
		entered = append(entered, &shown{})
		return entered[len(entered)-1]
	})
	sees := func(entry int, current string, docs ...string) {
		t.Helper()
		if len(entered) != entry {
			t.Fatalf("entered %d times, want %d", len(entered), entry)
		}
		if v := entered[entry-1]; v.current != current || !slices.Equal(v.docs, docs) || v.left {
			t.Errorf("shown are %+v, want %q of %q", v, current, docs)
		}
	}
	if others, since := k.Others(); others != nil || !since.IsZero() {
		t.Errorf("outside the lobby there are %v, since %v", others, since)
	}
	k.Opened(jupyter.MustPath("b"))
	sees(1, "b", "b")
	if others, since := k.Others(); len(others) != 1 || since.IsZero() {
		t.Errorf("in the lobby there are %v, since %v", others, since)
	}
	k.Opened(jupyter.MustPath("a"))
	sees(1, "a", "a", "b")
	k.Moved(jupyter.MustPath("b"), jupyter.MustPath("c"))
	sees(1, "c", "a", "c")
	k.Closed(t.Context(), jupyter.MustPath("c"))
	sees(1, "a", "a")
	k.Closed(t.Context(), jupyter.MustPath("a"))
	if !entered[0].left {
		t.Error("the lobby was not left with the last document")
	}
	k.Opened(jupyter.MustPath("d"))
	sees(2, "d", "d")
	k.Close(t.Context())
	k.Close(t.Context())
	if !entered[1].left {
		t.Error("the lobby was not left in the end")
	}
}
