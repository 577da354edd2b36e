package session_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/rtc/jupyter/waitbudget"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A server that is busy with a large notebook does not answer for a minute. Each call answers in time, and says that the
// notebook is being opened; it is a single opening, over one connection, and the first call after it finds it done.
func TestOpeningOutlastsItsCall(t *testing.T) {
	for _, c := range []struct {
		name   string
		before bool // the server does not answer from the first request on; otherwise it has let us into the room
	}{{"before the room", true}, {"in the room", false}} {
		t.Run(c.name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				o := newOutage(t)
				other := o.s.Notebook(t, "other = True")
				var said []string
				open := func() (time.Duration, error) {
					began := time.Now()
					err := o.open(o.m.WithBudget(t.Context(), func(message string) { said = append(said, message) }), other)
					return time.Since(began), err
				}
				o.s.Fake.Rooms.HoldSync(true)
				if c.before {
					o.cable.Stall()
				} else {
					time.AfterFunc(time.Second, o.cable.Stall)
				}
				for i := range 6 {
					took, err := open()
					var opening *waitbudget.OpeningError
					must.True(t, errors.As(err, &opening), must.Sprint(i))
					must.ErrorIs(t, err, jupyter.ErrUnreachable, must.Sprint(i))
					must.LessEq(t, session.DefaultServerTimeout+time.Second, took, must.Sprint(i))
					if text := err.Error(); i == 0 && !strings.HasSuffix(text, other+": it is being opened: the Jupyter server has been busy with it for 10 s: call again, or wait") {
						t.Errorf("call %d is told %q", i, text)
					}
				}
				must.GreaterEq(t, 40, len(said))
				test.Eq(t, "opening "+other+": the Jupyter server has been busy with it for 2 s", said[0])
				o.s.Fake.Rooms.HoldSync(false)
				o.cable.Mend()
				took, err := open()
				must.NoError(t, err, must.Sprint("the first call after it"))
				test.LessEq(t, 2*time.Second, took, test.Sprint("the first call after it"))
				if n := len(o.s.Fake.Rooms.Received(other)); n != 1 {
					t.Errorf("%d connections were made to its room", n)
				}
			})
		})
	}
}

// Without a server the call does not report that the server is busy, and the opening ends.
func TestOpeningWithoutAServer(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		other := o.s.Notebook(t, "other = True")
		o.s.Fake.Rooms.HoldSync(true)
		time.AfterFunc(3*time.Second, o.cable.Cut)
		open := func(ctx context.Context) error { return o.open(ctx, other) }
		err := o.bounded("opening", open)
		must.True(t, errors.As(err, new(*waitbudget.AwayError)))
		test.False(t, errors.As(err, new(*waitbudget.OpeningError)))
		o.s.Fake.Rooms.HoldSync(false)
		o.cable.Mend()
		time.Sleep(time.Second)
		if err := o.bounded("opening", open); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}

// The error for a server that does not answer says that it is busy only if it still accepts connections.
func TestBusyOrGone(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(*jupytertest.Cable)
		busy  bool
	}{"stalled": {(*jupytertest.Cable).Stall, true}, "cut": {(*jupytertest.Cable).Cut, false}} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				o := newOutage(t)
				c.begin(o.cable)
				time.Sleep(2 * time.Minute)
				err := o.add("never")
				if says := err != nil && strings.Contains(err.Error(), "it accepts connections but does not answer: it is busy or was suspended"); says != c.busy {
					t.Errorf("it is told %v", err)
				}
			})
		})
	}
}

// Before a notebook is opened the server does not read it as a notebook, which takes as long as opening it, unless only the
// server can find out whether it can read the file.
func TestReadableAtLittleCost(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		var read atomic.Int32
		m := sessiontest.Manager(t, sessiontest.Front(t, s, func(next *httputil.ReverseProxy) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if q := r.URL.Query(); strings.HasPrefix(r.URL.Path, "/api/contents/") && q.Get("content") == "1" && q.Get("type") == "notebook" {
					read.Add(1)
				}
				next.ServeHTTP(w, r)
			})
		}), session.Config{})
		sessiontest.Open(t, m, s.Notebook(t, "x = 1"))
		if n := read.Load(); n != 0 {
			t.Errorf("a usual notebook was read %d times", n)
		}
		nested := strings.Repeat("[", 150) + strings.Repeat("]", 150)
		sessiontest.Open(t, m, s.Write(t, s.Name(t, ".ipynb"), `{"cells": [], "metadata": {"nested": `+nested+`}, "nbformat": 4, "nbformat_minor": 5}`))
		if read.Load() == 0 {
			t.Error("one that Python might not read was not read")
		}
	})
}

// The time that a call has waited for a document to open counts toward its total wait for the server.
func TestOpeningCountsAsWaiting(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		other := o.s.Notebook(t, "other = True")
		o.cable.Stall()
		time.AfterFunc(6*time.Second, o.cable.Mend)
		began, ctx := time.Now(), o.m.WithBudget(t.Context(), nil)
		d, err := o.m.Open(ctx, jupyter.MustPath(other))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Release()
		if took := time.Since(began); took < 6*time.Second {
			t.Errorf("it is open after %s: the test shows nothing", took)
		}
		o.cable.Stall()
		if err := d.Edit(ctx, "edit", func(e *ydoc.Editor) error { return e.SetSource("c0", "never") }); err == nil {
			t.Error("an edit was made of a server that is away")
		}
		if took := time.Since(began); took > session.DefaultServerTimeout+time.Second {
			t.Errorf("the call is answered after %s", took)
		}
		o.cable.Mend()
		if err := d.Fresh(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A notebook that arrives while a call checks whether the server is up is waited for.
func TestOpeningThatGoesOnIsWaitedFor(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		other := o.s.Notebook(t, "other = True")
		o.s.Fake.Rooms.HoldSync(true)
		time.AfterFunc(session.DefaultServerTimeout+50*time.Millisecond, func() { o.s.Fake.Rooms.HoldSync(false) })
		test.NoError(t, o.open(o.m.WithBudget(t.Context(), nil), other))
	})
}
