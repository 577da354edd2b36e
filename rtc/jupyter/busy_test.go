package jupyter

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A server that accepts connections and answers nothing is busy. One whose connections are closed again, or refused,
// does not run. A refusal counts as an answer.
func TestBusy(t *testing.T) {
	listening := func(t *testing.T, serve func(net.Conn)) *Server {
		t.Helper()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				serve(conn)
			}
		}()
		t.Cleanup(func() {
			_ = l.Close()
			<-done
		})
		s, err := New(Options{URL: "http://" + l.Addr().String(), Timeout: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.CloseIdleConnections)
		return s
	}
	t.Run("busy", func(t *testing.T) {
		s := listening(t, func(c net.Conn) { t.Cleanup(func() { _ = c.Close() }) })
		err := s.Health.Busy(t.Context())
		test.ErrorIs(t, err, ErrBusy, test.Sprint("busy"))
		test.True(t, s.Health.Takes(t.Context()), test.Sprint("busy"))
	})
	t.Run("closed at once", func(t *testing.T) {
		s := listening(t, func(c net.Conn) { _ = c.Close() })
		err := s.Health.Busy(t.Context())
		test.ErrorIs(t, err, ErrUnreachable, test.Sprint("busy"))
		test.False(t, errors.Is(err, ErrBusy), test.Sprint("busy"))
		test.False(t, s.Health.Takes(t.Context()), test.Sprint("busy"))
	})
	t.Run("gone", func(t *testing.T) {
		gone, err := New(Options{URL: "http://127.0.0.1:1", Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		err = gone.Health.Busy(t.Context())
		test.ErrorIs(t, err, ErrUnreachable, test.Sprint("busy"))
		test.False(t, errors.Is(err, ErrBusy), test.Sprint("busy"))
		test.False(t, gone.Health.Takes(t.Context()), test.Sprint("busy"))
	})
	for _, status := range []int{http.StatusOK, http.StatusForbidden} {
		s := serve(t, nil, answer(status, "application/json", "{}"))
		err := s.Health.Busy(t.Context())
		must.NoError(t, err, must.Sprint(status))
		test.True(t, s.Health.Takes(t.Context()), test.Sprint(status))
	}
}

// A patient request is answered by a server that was busy for longer than its timeout. It ends when the server
// answers other requests only, when it no longer accepts connections, and at its limit.
func TestWithLimit(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		const timeout = 200 * time.Millisecond
		held, others := make(chan struct{}), atomic.Bool{}
		front := jupytertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if others.Load() && r.URL.Path == "/api" {
				answer(200, "application/json", "{}")(w, r)
				return
			}
			select {
			case <-held:
				answer(200, "application/json", `{"version": "2"}`)(w, r)
			case <-r.Context().Done():
			}
		}))
		s, err := New(Options{URL: front, Timeout: timeout, HTTPClient: &http.Client{Transport: &http.Transport{DialContext: jupytertest.Dial(t)}}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.CloseIdleConnections()
		ask := func(limit time.Duration) error {
			_, err := s.Health.Status(WithLimit(t.Context(), limit))
			return err
		}
		if _, err := s.Health.Status(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one without patience: %v", err)
		}
		if err := ask(3 * timeout); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("beyond its limit: %v", err)
		}
		others.Store(true)
		began := time.Now()
		err = ask(time.Minute)
		test.ErrorIs(t, err, context.DeadlineExceeded, test.Sprint("while others are answered"))
		test.LessEq(t, time.Minute/2, time.Since(began), test.Sprint("while others are answered"))
		others.Store(false)
		time.AfterFunc(5*timeout, func() { close(held) })
		if err := ask(time.Minute); err != nil {
			t.Errorf("a busy server: %v", err)
		}
	})
}
