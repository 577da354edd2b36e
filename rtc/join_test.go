package rtc_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake"
)

func quickly(c *rtc.Config) { c.Timing.BackoffMin = time.Millisecond }

// A join survives broken connections: before the first frame, and between the two halves of the first exchange.
func TestJoinSurvivesBrokenConnections(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1", "y = 2")
		s.Fake.Rooms.DropAtJoin(path, 2)
		s.Fake.Rooms.DropAtSync(path, 2)
		r, nb := join(t, client(t, s), path, quickly)
		if got := sources(nb); got != "x = 1|y = 2" {
			t.Errorf("the replica holds %q", got)
		}
		n := connections(s, path)
		test.Eq(t, rtc.Synced, r.State())
		test.Eq(t, 5, n)
		insert(t, nb, 0, "and it works")
		if err := r.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := holds(t, s, path); got != "and it works|x = 1|y = 2" {
			t.Errorf("the server holds %q", got)
		}
	})
}

// An empty replica may join any session.
func TestJoinTakesAnotherSessionWhileEmpty(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		s.Fake.Rooms.DropAtJoin(path, 1)
		first := make(chan string, 1)
		go func() {
			time.Sleep(minute / 2) // the first attempt has failed
			c, err := client(t, s).Rooms.Session(t.Context(), jupyter.MustPath(path), "json", "notebook")
			if err != nil {
				t.Error(err)
			}
			first <- c.SessionID
			s.Fake.Restart(false)
			rebuild(t, s, path, "rebuilt")
		}()
		r, nb := join(t, client(t, s), path, slowly)
		got, was := sources(nb), <-first
		test.Eq(t, "rebuilt", got)
		test.NotEq(t, was, r.SessionID())
	})
}

// A replica that has content of another history may not.
func TestJoinDiscardsHalfAReplica(t *testing.T) {
	for name, c := range map[string]struct {
		restarted bool
		want      rtc.Code
	}{
		"other session": {true, rtc.CodeSession},
		"other history": {false, rtc.CodeHistory},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s, path := faulty(t, "x = 1")
				s.Fake.Rooms.DropAtSync(path, 1)
				go func() {
					time.Sleep(minute / 2) // the first attempt has failed
					if c.restarted {
						s.Fake.Restart(false)
					}
					rebuild(t, s, path, "rebuilt")
				}()
				_, _, err := tryJoin(t, client(t, s), path, slowly)
				var end *rtc.CloseError
				must.True(t, errors.As(err, &end), must.Sprint("join"))
				test.Eq(t, c.want, end.Code, test.Sprint("join"))
				test.Eq(t, rtc.Discard, end.Action, test.Sprint("join"))
				if got := holds(t, s, path); got != "rebuilt" {
					t.Errorf("the server holds %q, want it untouched", got)
				}
			})
		})
	}
}

// minute is the pause after a failed attempt if a test acts in between.
const minute = time.Minute

func slowly(c *rtc.Config) {
	c.Timing.BackoffMin, c.Timing.BackoffMax, c.Timing.Join = minute, minute, time.Hour
}

// The deadline ends all attempts, and the error describes the failure.
func TestJoinGivesUpInTime(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		s.Fake.Rooms.DropAtSync(path, 10_000)
		begun := time.Now()
		_, _, err := tryJoin(t, client(t, s), path, func(c *rtc.Config) { c.Timing.Join = 4 * time.Second })
		test.ErrorIs(t, err, context.DeadlineExceeded, test.Sprint("join"))
		test.StrContains(t, err.Error(), "the connection broke", test.Sprint("join"))
		if took := time.Since(begun); took != 4*time.Second {
			t.Errorf("it took %v", took)
		}
		if n := connections(s, path); n < 3 {
			t.Errorf("%d attempts", n)
		}
	})
}

// The requests before the room's socket are repeated, too, if their connection breaks or they hang. An answer is
// final.
func TestJoinRepeatsItsRequests(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(f *fake.Server, prefix string) *fake.Fault
		want  error
	}{
		"reset": {func(f *fake.Server, prefix string) *fake.Fault { return f.ResetNext(3, "", prefix) }, nil},
		"hangs": {func(f *fake.Server, prefix string) *fake.Fault { return f.HangNext(1, "", prefix) }, nil},
		"answer": {func(f *fake.Server, prefix string) *fake.Fault {
			return f.AnswerNext(1, "", prefix, http.StatusConflict)
		}, jupyter.ErrConflict},
	} {
		for _, part := range []string{"/api/collaboration/session/", "/api/collaboration/room/"} {
			t.Run(name+strings.TrimSuffix(part, "/"), func(t *testing.T) {
				jupytertest.Bubble(t, func(t *testing.T) {
					s, path := faulty(t, "x = 1")
					fault := c.fault(s.Fake, part)
					// An attempt that hangs may take half of the time.
					_, nb, err := tryJoin(t, client(t, s), path, quickly, func(c *rtc.Config) { c.Timing.Join = 12 * time.Second })
					if c.want != nil {
						test.ErrorIs(t, err, c.want, test.Sprint("join"))
						test.Eq(t, 1, fault.Count(), test.Sprint("join"))
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if got := sources(nb); got != "x = 1" {
						t.Errorf("the replica holds %q", got)
					}
				})
			})
		}
	}
}

// While the server loads the document it sends nothing over the connection, for longer than it may be silent in a
// joined room; the join continues on that connection. A dead connection is given up in time for another one.
func TestJoinWhileTheServerIsBusy(t *testing.T) {
	for name, c := range map[string]struct {
		stop        func(*jupytertest.Cable)
		connections int
	}{
		"busy": {(*jupytertest.Cable).Stall, 1},
		"dead": {(*jupytertest.Cable).Strand, 2},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s, path := faulty(t, "x = 1")
				cable := jupytertest.NewCable(t, s)
				s.Fake.Rooms.HoldSync(true)
				time.AfterFunc(time.Second, func() { c.stop(cable) })
				time.AfterFunc(100*time.Second, func() {
					s.Fake.Rooms.HoldSync(false)
					cable.Mend()
				})
				r, nb := join(t, client(t, cable.Server), path)
				got := sources(nb)
				test.Eq(t, "x = 1", got)
				test.Eq(t, rtc.Synced, r.State())
				if n := connections(s, path); n != c.connections {
					t.Errorf("%d connections, want %d", n, c.connections)
				}
			})
		})
	}
}

// A join that pauses after a broken connection continues as soon as the server answers any client again.
func TestJoinHearsThatTheServerIsBack(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		srv := client(t, s)
		s.Fake.Faults.ResetNext(1, http.MethodPut, "/api/collaboration/session")
		asked := make(chan error, 1)
		time.AfterFunc(minute/2, func() {
			_, err := srv.Health.Status(t.Context())
			asked <- err
		})
		began := time.Now()
		join(t, srv, path, slowly)
		if took := time.Since(began); took != minute/2 {
			t.Errorf("joined after %s", took)
		}
		if err := <-asked; err != nil {
			t.Error(err)
		}
	})
}
