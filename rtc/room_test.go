package rtc_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

func TestJoinGivesTheWholeNotebook(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1", "print(x)")
		r, nb := join(t, client(t, s), path)
		if got, want := sources(nb), "x = 1|print(x)"; got != want {
			t.Errorf("the replica holds %q, want %q", got, want)
		}
		if r.State() != rtc.Synced {
			t.Errorf("state is %v, want synced", r.State())
		}
		test.StrHasPrefix(t, "json:notebook:", r.ID())
		test.NotEq(t, "", r.FileID())
		test.NotEq(t, "", r.SessionID())
	})
}

// When Barrier has returned, a client that joins the room finds the edit.
func TestBarrierMeansThatTheRoomHasIt(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		srv := client(t, s)
		r, nb := join(t, srv, path)
		for _, src := range []string{"é😀", "b", "c"} {
			insert(t, nb, 0, src)
			if err := r.Barrier(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, other := join(t, srv, path)
			if got, want := sources(other), sources(nb); got != want {
				t.Fatalf("a newcomer sees %q, want %q", got, want)
			}
		}
	})
}

func TestEditsPassBothWays(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		srv := client(t, s)
		_, a := join(t, srv, path)
		_, b := join(t, srv, path)
		insert(t, a, 1, "from a")
		eventually(t, "b sees the edit of a", func() bool { return sources(b) == "x = 1|from a" })
		insert(t, b, 0, "from b")
		eventually(t, "a sees the edit of b", func() bool { return sources(a) == "from b|x = 1|from a" })
	})
}

// Edits made while the connection is down are in the room afterwards, once, together with the edits that others made
// meanwhile.
func TestLostConnectionIsMadeGood(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		w := jupytertest.NewCable(t, s)
		_, stays := join(t, client(t, s), path)
		r, nb := join(t, client(t, w.Server), path)

		for round := range 3 {
			w.Cut()
			eventually(t, "the loss is noticed", func() bool { return r.State() == rtc.Lost })
			mine := insert(t, nb, 0, "mine")
			theirs := insert(t, stays, 1, "theirs")
			waiting := make(chan error, 1)
			go func() {
				ctx, stop := context.WithTimeout(context.Background(), patience)
				defer stop()
				waiting <- r.Barrier(ctx)
			}()
			w.Mend()
			if err := <-waiting; err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			eventually(t, "both have both edits", func() bool {
				_, ok1 := stays.Cell(mine)
				_, ok2 := nb.Cell(theirs)
				return ok1 && ok2 && sources(nb) == sources(stays)
			})
			if want := 1 + 2*(round+1); nb.Len() != want {
				t.Fatalf("round %d: %d cells, want %d: %s", round, nb.Len(), want, sources(nb))
			}
		}
	})
}

func TestBarrierGivesUpWithItsContext(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		w := jupytertest.NewCable(t, s)
		r, nb := join(t, client(t, w.Server), s.Notebook(t, "x = 1"))
		w.Cut()
		insert(t, nb, 0, "mine")
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		if err := r.Barrier(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the deadline", err)
		}
		w.Mend()
	})
}

func TestLeaveSaves(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		r, nb := join(t, client(t, s), path)
		insert(t, nb, 1, "kept = True")
		if err := r.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Read(t, path); !strings.Contains(got, "kept = True") {
			t.Errorf("the file does not have the last edit: %s", got)
		}
		if err := r.Err(); !errors.Is(err, rtc.ErrLeft) {
			t.Errorf("error %v, want ErrLeft", err)
		}
		if err := r.Barrier(t.Context()); !errors.Is(err, rtc.ErrLeft) {
			t.Errorf("barrier after leaving: %v, want ErrLeft", err)
		}
		if err := r.Leave(t.Context()); err != nil {
			t.Errorf("leaving twice: %v", err)
		}
	})
}

func TestSaveWrites(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		r, nb := join(t, client(t, s), path)
		insert(t, nb, 1, "saved = True")
		if err := r.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		status, err := r.Save(t.Context())
		must.NoError(t, err, must.Sprint("save"))
		must.Eq(t, "success", status, must.Sprint("save"))
		if got := s.Read(t, path); !strings.Contains(got, "saved = True") {
			t.Errorf("the file does not have the edit: %s", got)
		}
	})
}

// The server makes a session and a room for any path; the room then gives the reason for its refusal. Each case has
// its own server: after one such join a server may fail to start the next room, whatever its file.
func TestRefusedRooms(t *testing.T) {
	for name, c := range map[string]struct {
		content string // "": no file
		want    rtc.Code
	}{
		"missing": {"", rtc.CodeNotFound},
		"broken":  {"{ this is not JSON", rtc.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			jupytertest.Test(t, func(t *testing.T) {
				s := jupytertest.Start(t)
				path := s.Name(t, ".ipynb")
				if c.content != "" {
					s.Write(t, path, c.content)
				}
				_, _, err := tryJoin(t, client(t, s), path)
				var end *rtc.CloseError
				must.True(t, errors.As(err, &end), must.Sprint("join"))
				test.Eq(t, c.want, end.Code, test.Sprint("join"))
				test.Eq(t, rtc.GiveUp, end.Action, test.Sprint("join"))
			})
		})
	}
}

// People see the agent, its caret and its departure; the agent sees people.
func TestPresence(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		srv := client(t, s)
		soon := func(c *rtc.Config) { c.Timing.Renew = 200 * time.Millisecond }
		a, nb := join(t, srv, path, soon, func(c *rtc.Config) { c.User = user("Ada") })
		b, _ := join(t, srv, path, soon, func(c *rtc.Config) { c.User = user("Bea") })

		eventually(t, "b sees a", func() bool { return len(b.Peers()) == 1 && b.Peers()[0].User.DisplayName == "Ada" })
		eventually(t, "a sees b", func() bool { return len(a.Peers()) == 1 && a.Peers()[0].User.DisplayName == "Bea" })

		c, _ := nb.CellAt(0)
		pos, err := nb.RelativePosition(c.ID, 3)
		if err != nil {
			t.Fatal(err)
		}
		a.SetAppearance(77, &rtc.Appearance{User: user("Claude"), Cursors: []awareness.Cursor{{Anchor: pos, Head: pos, Primary: true, Empty: true}}, Status: awareness.Status{Text: "editing", Cell: c.ID}})
		eventually(t, "b sees the caret of an appearance of a's", func() bool {
			i := slices.IndexFunc(b.Peers(), func(p rtc.Peer) bool { return p.ClientID == 77 })
			if i < 0 {
				return false
			}
			p := b.Peers()[i]
			return len(b.Peers()) == 2 && len(p.Cursors) == 1 && string(p.Cursors[0].Head) == string(pos) && p.User.DisplayName == "Claude" &&
				p.Agent && p.Replica == nb.ClientID() && p.Status == awareness.Status{Text: "editing", Cell: c.ID}
		})
		if err := a.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "b sees a leave at once", func() bool { return len(b.Peers()) == 0 })
	})
}

func TestLobbyNamesTheAgent(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		srv := client(t, s)
		soon := rtc.Timing{Renew: 200 * time.Millisecond}
		a := rtc.EnterLobby(srv, nil, soon, nil)
		b := rtc.EnterLobby(srv, nil, soon, nil)
		defer b.Leave(t.Context())
		a.Show(rtc.Visitor{User: user("Lobby-A"), Current: "x.ipynb", Documents: []string{"x.ipynb"}}, rtc.Visitor{User: user("Lobby-C")})
		sees := func() bool {
			for _, p := range b.Peers() {
				if p.User.DisplayName == "Lobby-A" {
					return true
				}
			}
			return false
		}
		eventually(t, "b sees a", sees)
		eventually(t, "b sees the other", func() bool { return len(b.Peers()) == 2 })
		a.Show(rtc.Visitor{User: user("Lobby-A")})
		eventually(t, "b sees the other leave", func() bool { return len(b.Peers()) == 1 && sees() })
		a.Leave(t.Context())
		eventually(t, "b sees a leave at once", func() bool { return !sees() })
	})
}

// A lobby ends promptly even if its server is down.
func TestLobbyWithoutServer(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		w := jupytertest.NewCable(t, s)
		w.Cut()
		l := rtc.EnterLobby(client(t, w.Server), nil, rtc.Timing{}, nil)
		l.Show(rtc.Visitor{User: user("nobody"), Current: "x.ipynb"})
		l.Leave(t.Context())
	})
}
