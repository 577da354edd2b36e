package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// outage is a server that goes away under an open notebook.
type outage struct {
	t     *testing.T
	s     *jupytertest.Server
	cable *jupytertest.Cable
	m     *session.Manager
	path  string
	d     *session.Document
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	o := &outage{t: t, s: jupytertest.Shared(t)}
	o.path = o.s.Notebook(t, "first = True")
	o.cable = jupytertest.NewCable(t, o.s)
	o.m = sessiontest.Manager(t, o.cable.Server, session.Config{})
	o.d = sessiontest.Open(t, o.m, o.path)
	return o
}

// bounded calls f with a call's wait budget, and checks how long it takes.
func (o *outage) bounded(what string, f func(ctx context.Context) error) error {
	o.t.Helper()
	began := time.Now()
	err := f(o.m.WithBudget(o.t.Context(), nil))
	if took := time.Since(began); took > session.DefaultServerTimeout+2*time.Second {
		o.t.Errorf("%s takes %s", what, took)
	}
	return err
}

// open opens a notebook and releases it.
func (o *outage) open(ctx context.Context, path string) error {
	d, err := o.m.Open(ctx, jupyter.MustPath(path))
	if err == nil {
		d.Release()
	}
	return err
}

// add adds a cell.
func (o *outage) add(source string) error {
	return o.bounded("an edit", func(ctx context.Context) error {
		return o.d.Edit(ctx, "add a cell", func(e *ydoc.Editor) error {
			_, err := e.Insert(e.Len(), ydoc.NewCell{Type: "code", Source: source})
			return err
		})
	})
}

// seen reads the notebook as another client of the server.
func (o *outage) seen(source string) bool {
	o.t.Helper()
	m := sessiontest.Manager(o.t, o.s, session.Config{})
	d, err := m.Open(o.t.Context(), jupyter.MustPath(o.path))
	if err != nil {
		o.t.Fatal(err)
	}
	defer d.Release()
	for _, c := range d.Notebook().Cells() {
		if c.Source == source {
			return true
		}
	}
	return false
}

var outages = map[string]func(c *jupytertest.Cable){"cut": (*jupytertest.Cable).Cut, "stalled": (*jupytertest.Cable).Stall}

// A call that finds the server away answers in time: an edit reported as not made is never made, and one reported as not
// confirmed is in the room when the server is back.
func TestEditsWhileTheServerIsAway(t *testing.T) {
	for name, begin := range outages {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				o := newOutage(t)
				begin(o.cable)
				says := map[string]error{}
				for _, source := range []string{"one", "two", "three"} {
					says[source] = o.add(source)
					time.Sleep(9 * time.Second)
				}
				var notMade *session.NotMadeError
				err := says["three"]
				must.True(t, errors.As(err, &notMade), must.Sprint("after half a minute"))
				test.ErrorIs(t, err, jupyter.ErrUnreachable, test.Sprint("after half a minute"))
				test.StrContains(t, err.Error(), "not made", test.Sprint("after half a minute"))
				test.StrContains(t, err.Error(), "since", test.Sprint("after half a minute"))
				o.cable.Mend()
				time.Sleep(20 * time.Second)
				if err := o.add("four"); err != nil {
					t.Errorf("the first edit after it: %v", err)
				}
				time.Sleep(5 * time.Second)
				for source, err := range says {
					var unconfirmed *session.UnconfirmedError
					switch {
					case err == nil:
						t.Errorf("%s was made of a server that is away", source)
					case errors.As(err, &notMade) && o.seen(source):
						t.Errorf("%s was not made, and is there: %v", source, err)
					case errors.As(err, &unconfirmed) && !o.seen(source):
						t.Errorf("%s was to be sent later, and is not there: %v", source, err)
					case !errors.As(err, &notMade) && !errors.As(err, &unconfirmed):
						t.Errorf("%s: %v", source, err)
					}
				}
				if !o.seen("four") {
					t.Error("the edit after it is not there")
				}
			})
		})
	}
}

// Content read while the server is away is marked as old, and calls that need the server fail in time.
func TestReadsWhileTheServerIsAway(t *testing.T) {
	for name, begin := range outages {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				o := newOutage(t)
				if away := o.d.Away(); away != "" {
					t.Errorf("before: %s", away)
				}
				other := o.s.Notebook(t, "other = True")
				begin(o.cable)
				time.Sleep(20 * time.Second)
				if err := o.bounded("opening it again", func(ctx context.Context) error {
					d, err := o.m.Open(ctx, jupyter.MustPath(o.path))
					if err == nil {
						defer d.Release()
						if away := d.Away(); !strings.Contains(away, "since 00:00:") {
							t.Errorf("it is read as if the server were there: %q", away)
						}
					}
					return err
				}); err != nil {
					t.Errorf("an open notebook cannot be read: %v", err)
				}
				if err := o.bounded("a fresh look", o.d.Fresh); !errors.Is(err, jupyter.ErrUnreachable) {
					t.Errorf("a fresh look: %v", err)
				}
				if err := o.bounded("opening another", func(ctx context.Context) error {
					_, err := o.m.Open(ctx, jupyter.MustPath(other))
					return err
				}); err == nil {
					t.Error("another notebook was opened")
				} else {
					t.Log(err)
				}
				o.cable.Mend()
				err := o.bounded("a fresh look", o.d.Fresh)
				must.NoError(t, err, must.Sprint("when it is back"))
				test.Eq(t, "", o.d.Away(), test.Sprint("when it is back"))
			})
		})
	}
}

// A server that hangs for only some seconds is waited for, and the caller is notified.
func TestSlowServerIsWaitedFor(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		o.cable.Stall()
		time.AfterFunc(8*time.Second, o.cable.Mend)
		var told []string
		err := o.d.Edit(o.m.WithBudget(t.Context(), func(message string) { told = append(told, message) }), "add a cell", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "late"})
			return err
		})
		must.NoError(t, err)
		test.True(t, o.seen("late"))
		must.GreaterEq(t, 5, len(told), must.Sprint("told"))
		test.StrContains(t, told[0], "waiting for the Jupyter server", test.Sprint("told"))
	})
}

// The first call after a restart waits until the room is joined again, and then succeeds.
func TestRestartIsWaitedFor(t *testing.T) {
	for name, known := range map[string]bool{"the same session": true, "another session": false} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				o := newOutage(t)
				time.Sleep(5 * time.Second)
				o.s.Fake.Restart(known)
				time.Sleep(50 * time.Millisecond) // it is noticed
				ctx := o.m.WithBudget(t.Context(), nil)
				d, err := o.m.Open(ctx, jupyter.MustPath(o.path))
				if err != nil {
					t.Fatal(err)
				}
				defer d.Release()
				err = d.Edit(ctx, "add a cell", func(e *ydoc.Editor) error {
					_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "after"})
					return err
				})
				must.NoError(t, err)
				test.True(t, o.seen("after"))
			})
		})
	}
}

// A room that is joined again without its confirmed content gets the whole output of a run, and not only the rest.
func TestForgottenOutputIsWrittenAgain(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "import time\nfor i in range(3):\n    print('line', i, flush=True)\n    time.sleep(5)")
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		s.Fake.Rooms.SaveWithoutWriting(true)
		runs, err := d.Run(t.Context(), []string{"c0"})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "output", func() bool {
			c, _ := d.Notebook().Cell("c0")
			return len(c.Outputs) > 0
		})
		if err := d.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := d.Notebook()
		s.Fake.Rooms.ForgetHistory(path)
		s.Fake.Rooms.SaveWithoutWriting(false)
		if err := runs[0].Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d.Notebook() == before {
			t.Fatal("the room was not lost")
		}
		c, _ := d.Notebook().Cell("c0")
		text := fmt.Sprint(c.Outputs)
		test.StrContains(t, text, "line 0\n")
		test.StrContains(t, text, "line 2\n")
	})
}
