package rtc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

func quickly(c *rtc.Config) { c.Timing.BackoffMin = time.Millisecond }

// A join is not given up because the connection breaks on the way: before anything was said, and between the two halves
// of the first exchange.
func TestJoinSurvivesBrokenConnections(t *testing.T) {
	s := newScripted(t, "x = 1", "y = 2")
	s.breaks = map[int]string{1: "hello", 2: "half", 3: "hello", 4: "half"}
	r, nb := join(t, s.client(), "a.ipynb", quickly)
	if got := sources(nb); got != "x = 1|y = 2" {
		t.Errorf("the replica holds %q", got)
	}
	if r.State() != rtc.Synced || s.connections != 5 {
		t.Errorf("state %v after %d connections, want synced after 5", r.State(), s.connections)
	}
	insert(t, nb, 0, "and it works")
	if err := r.Barrier(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := sources(s.nb); got != "and it works|x = 1|y = 2" {
		t.Errorf("the server holds %q", got)
	}
}

// A replica that is still empty may go into any session.
func TestJoinTakesAnotherSessionWhileEmpty(t *testing.T) {
	s := newScripted(t, "x = 1")
	s.breaks = map[int]string{1: "hello"}
	s.broken = func(int) { s.restart(t, "two", "rebuilt") }
	r, nb := join(t, s.client(), "a.ipynb", quickly)
	if got := sources(nb); got != "rebuilt" || r.SessionID() != "two" {
		t.Errorf("the replica holds %q, in session %q", got, r.SessionID())
	}
}

// One that has got something of another history may not.
func TestJoinDiscardsHalfAReplica(t *testing.T) {
	for name, c := range map[string]struct {
		session string
		want    rtc.Code
	}{
		"other session": {"two", rtc.CodeSession},
		"other history": {"one", rtc.CodeHistory},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScripted(t, "x = 1")
			s.breaks = map[int]string{1: "half"}
			s.broken = func(int) { s.restart(t, c.session, "rebuilt") }
			_, _, err := tryJoin(t, s.client(), "a.ipynb", quickly)
			var end *rtc.CloseError
			if !errors.As(err, &end) || end.Code != c.want || end.Action != rtc.Discard {
				t.Errorf("join: %v, want %q", err, c.want)
			}
			if got := sources(s.nb); got != "rebuilt" {
				t.Errorf("the server holds %q, want it untouched", got)
			}
		})
	}
}

// What ends all attempts is the deadline, and the error says what went wrong.
func TestJoinGivesUpInTime(t *testing.T) {
	t.Parallel()
	s := newScripted(t, "x = 1")
	s.breaks = make(map[int]string)
	for i := range 10000 {
		s.breaks[i] = "hello"
	}
	_, _, err := tryJoin(t, s.client(), "a.ipynb", quickly, func(c *rtc.Config) { c.Timing.Join = 4 * time.Second })
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the connection broke") {
		t.Errorf("join: %v, want the deadline, and that the connection broke", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connections < 3 {
		t.Errorf("%d attempts", s.connections)
	}
}

// The requests before the room's socket are repeated too when their connection breaks, and when they hang; an answer is
// an answer.
func TestJoinRepeatsItsRequests(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(t *testing.T, w http.ResponseWriter, r *http.Request)
		times int
		want  error
	}{
		"reset": {times: 3, fault: func(t *testing.T, w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}},
		"hangs": {times: 1, fault: func(_ *testing.T, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"answer": {
			times: 1, want: jupyter.ErrConflict,
			fault: func(_ *testing.T, w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusConflict) },
		},
	} {
		for _, part := range []string{"/api/collaboration/session/", "/api/collaboration/room/"} {
			t.Run(name+strings.TrimSuffix(part, "/"), func(t *testing.T) {
				t.Parallel()
				s := newScripted(t, "x = 1")
				next := s.srv.Config.Handler
				var faults atomic.Int32
				front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.Contains(r.URL.Path, part) && int(faults.Add(1)) <= c.times {
						_, _ = io.Copy(io.Discard, r.Body) // after it the end of the connection is seen
						c.fault(t, w, r)
						return
					}
					next.ServeHTTP(w, r)
				}))
				t.Cleanup(front.Close)
				srv, err := jupyter.New(jupyter.Options{URL: front.URL})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(srv.CloseIdleConnections)
				// Half of the time is what an attempt that hangs may take.
				_, nb, err := tryJoin(t, srv, "a.ipynb", quickly, func(c *rtc.Config) { c.Timing.Join = 12 * time.Second })
				if c.want != nil {
					if !errors.Is(err, c.want) || faults.Load() != 1 {
						t.Errorf("join: %v after %d attempts, want %v after one", err, faults.Load(), c.want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := sources(nb); got != "x = 1" {
					t.Errorf("the replica holds %q", got)
				}
			})
		}
	}
}
