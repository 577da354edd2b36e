package rtc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// faulty returns a fake server with a notebook, for faults that a real one cannot produce on demand.
func faulty(t *testing.T, cells ...string) (s *jupytertest.Server, path string) {
	t.Helper()
	s = jupytertest.Shared(t)
	return s, s.Notebook(t, cells...)
}

// rebuild gives a notebook's room another history and content, like a server that lost its store.
func rebuild(t *testing.T, s *jupytertest.Server, path, source string) {
	t.Helper()
	s.Write(t, path, s.Read(t, s.Notebook(t, source)))
	s.Fake.Rooms.ForgetHistory(path)
}

// holds returns the content of a notebook's room, or of the file if the room is gone.
func holds(t *testing.T, s *jupytertest.Server, path string) string {
	t.Helper()
	_, nb := join(t, client(t, s), path)
	return sources(nb)
}

// connections returns the number of connections ever made to a notebook's room.
func connections(s *jupytertest.Server, path string) int { return len(s.Fake.Rooms.Received(path)) }

// lastly returns the frames received on the last of them.
func lastly(s *jupytertest.Server, path string) []wire.FrameKind {
	all := s.Fake.Rooms.Received(path)
	return all[len(all)-1]
}

// ends waits for the room's end and checks its reason.
func ends(t *testing.T, r *rtc.Room, code rtc.Code, action rtc.Action) {
	t.Helper()
	select {
	case <-r.Done():
	case <-time.After(patience):
		t.Fatalf("the room did not end; it is %v", r.State())
	}
	var end *rtc.CloseError
	must.True(t, errors.As(r.Err(), &end))
	test.Eq(t, code, end.Code)
	test.Eq(t, action, end.Action)
}

// A server applies frames even of a client that it is about to refuse, so only SYNC1 may be sent before its SYNC2.
func TestNothingButSync1BeforeSync2(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, nb := join(t, client(t, s), path)
		s.Fake.Rooms.HoldSync(true)
		s.Fake.Rooms.Drop(path)
		eventually(t, "connected again", func() bool { return r.State() == rtc.CatchingUp })
		insert(t, nb, 0, "while catching up")
		r.SetAppearance(77, &rtc.Appearance{User: user("Face")})
		eventually(t, "the server knows it", func() bool { return connections(s, path) == 2 && len(lastly(s, path)) > 0 })
		time.Sleep(time.Second) // for frames that should not come
		got := lastly(s, path)
		must.SliceLen(t, 1, got)
		must.Eq(t, wire.SyncStep1, got[0])
		s.Fake.Rooms.HoldSync(false)
		eventually(t, "the edit arrives", func() bool { return holds(t, s, path) == "while catching up|x = 1" })
	})
}

func TestOtherSessionIsDiscarded(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, nb := join(t, client(t, s), path)
		s.Fake.Rooms.HoldSync(true)
		insert(t, nb, 0, "not confirmed")
		waiting := make(chan error, 1)
		go func() { waiting <- r.Barrier(t.Context()) }()
		eventually(t, "the barrier is asked for", func() bool {
			got := lastly(s, path)
			return got[len(got)-1] == wire.SyncStep1 && len(got) > 3
		})
		s.Fake.Restart(false)
		ends(t, r, rtc.CodeSession, rtc.Discard)
		var end *rtc.CloseError
		err := <-waiting
		must.True(t, errors.As(err, &end))
		test.Eq(t, rtc.Discard, end.Action)
		if n := connections(s, path); n != 1 {
			t.Errorf("%d connections were made, want none in the other session", n-1)
		}
	})
}

// A rebuilt room has other content under the same ids.
func TestForgottenHistoryIsDiscarded(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, nb := join(t, client(t, s), path)
		insert(t, nb, 0, "confirmed")
		if err := r.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		rebuild(t, s, path, "rebuilt")
		ends(t, r, rtc.CodeHistory, rtc.Discard)
		if got := holds(t, s, path); got != "rebuilt" {
			t.Errorf("the rebuilt room holds %q, want it untouched", got)
		}
	})
}

func TestConflictIsDiscarded(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, _ := join(t, client(t, s), path)
		s.Fake.Rooms.Conflict(path)
		ends(t, r, rtc.CodeConflict, rtc.Discard)
	})
}

// A connection on which the server sends nothing, not even a pong, is replaced by a new one.
func TestSilentServerIsLost(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, _ := join(t, client(t, s), path, func(c *rtc.Config) { c.Timing.Silence = 10 * time.Second })
		s.Fake.Rooms.Mute(true)
		eventually(t, "joined again after the silence", func() bool { return connections(s, path) >= 2 })
		s.Fake.Rooms.Mute(false)
		s.Fake.Rooms.Drop(path) // or it waits for the frames that were not sent
		eventually(t, "synced again", func() bool { return r.State() == rtc.Synced })
	})
}

func TestPingsKeepAQuietRoom(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		// The server sends a frame by itself every 15 s, which is not often enough.
		r, _ := join(t, client(t, s), path, func(c *rtc.Config) { c.Timing.Silence, c.Timing.Ping = 4*time.Second, time.Second })
		time.Sleep(time.Hour)
		n := connections(s, path)
		test.Eq(t, 1, n)
		test.Eq(t, rtc.Synced, r.State())
	})
}

// The server accepts an update with a gap before it, and browsers then hold it back forever. So whatever happens to
// the connection, each update reaches the server after all updates that it depends on.
func TestEveryUpdateArrivesInOrder(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, nb := join(t, client(t, s), path, quickly)
		const edits = 200
		for i := range edits {
			insert(t, nb, i, fmt.Sprint(i))
			switch {
			case i%20 == 10:
				s.Fake.Rooms.Drop(path) // with updates in transit
			case i%20 == 15:
				s.Fake.Rooms.DropAfterUpdate(path)
			case i%50 == 25:
				time.Sleep(20 * time.Millisecond) // connected again
			}
		}
		if err := r.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, want := holds(t, s, path), sources(nb)
		test.Eq(t, want, got)
		test.Eq(t, edits+1, nb.Len())
		if n := s.Fake.Rooms.Gaps(); n != 0 {
			t.Errorf("%d updates came before one that they build on", n)
		}
		if connections(s, path) < 2 {
			t.Error("the connection was never lost")
		}
	})
}

// A connection lost between the request for the last save and its answer is replaced, and the save is requested
// again.
func TestLeaveAsksAgainForItsSave(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, nb := join(t, client(t, s), path, quickly)
		s.Fake.Rooms.DropAtSave(path, 1)
		insert(t, nb, 0, "last")
		if err := r.Leave(t.Context()); err != nil {
			t.Errorf("leave: %v", err)
		}
		saves := 0
		for _, connection := range s.Fake.Rooms.Received(path) {
			for _, kind := range connection {
				if kind == wire.Raw {
					saves++
				}
			}
		}
		if saves != 2 {
			t.Errorf("%d saves were asked for, want 2", saves)
		}
		if !strings.Contains(s.Read(t, path), "last") {
			t.Error("the file does not have the last edit")
		}
	})
}
