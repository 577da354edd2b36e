package session_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/rtc/jupyter/waitbudget"
	"github.com/nbduet/nbduet/session"
)

// The outcome of one call ends the waits of later ones within a second.
func TestOneCallTellsTheOthersThatTheServerIsAway(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		time.Sleep(20 * time.Second)
		o.cable.Cut()
		time.Sleep(time.Second) // it is noticed
		var wg sync.WaitGroup
		for after := range 10 {
			wg.Go(func() {
				time.Sleep(time.Duration(after) * time.Second)
				began := time.Now()
				err := o.d.Fresh(o.m.WithBudget(t.Context(), nil))
				if most := session.DefaultServerTimeout - time.Duration(after)*time.Second + time.Second; time.Since(began) > most || !errors.As(err, new(*waitbudget.AwayError)) {
					t.Errorf("the call %d s later: %v after %s", after, err, time.Since(began))
				}
			})
		}
		wg.Wait()
	})
}

// A call waits for a restart of some seconds if no other call has found the server away.
func TestRefusedForSomeSeconds(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		time.Sleep(20 * time.Second)
		o.cable.Cut()
		time.Sleep(time.Second)
		time.AfterFunc(4*time.Second, o.cable.Mend)
		err := o.add("after")
		must.NoError(t, err, must.Sprint("the edit"))
		test.True(t, o.seen("after"), test.Sprint("the edit"))
	})
}

// Without any call, a server that has not answered for as long as a call waits is known to be away.
func TestAnOutageIsKnownWithoutACall(t *testing.T) {
	for name, begin := range outages {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				o := newOutage(t)
				begin(o.cable)
				time.Sleep(2 * time.Minute)
				began := time.Now()
				err := o.add("never")
				test.ErrorIs(t, err, jupyter.ErrUnreachable, test.Sprint("the first call"))
				test.LessEq(t, time.Second, time.Since(began), test.Sprint("the first call"))
				o.cable.Mend()
				began = time.Now()
				err = o.bounded("after", o.d.Fresh)
				must.NoError(t, err, must.Sprint("the first call after its return"))
				test.LessEq(t, 2*time.Second, time.Since(began), test.Sprint("the first call after its return"))
			})
		})
	}
}

// A notebook that could not be opened during an outage is opened by the first call after it, although an earlier attempt
// still waits.
func TestOpenedAfterAnOutage(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		other := o.s.Notebook(t, "other = True")
		open := func(ctx context.Context) error { return o.open(ctx, other) }
		o.cable.Stall()
		for range 3 {
			if err := o.bounded("opening", open); !errors.Is(err, jupyter.ErrUnreachable) {
				t.Errorf("during it: %v", err)
			}
		}
		o.cable.Mend()
		began := time.Now()
		err := o.bounded("opening", open)
		must.NoError(t, err, must.Sprint("after it"))
		test.LessEq(t, time.Second, time.Since(began), test.Sprint("after it"))
	})
}

// A session ends soon even while the server is known to be away: messages to the server fail.
func TestEndedWhileTheServerIsKnownToBeAway(t *testing.T) {
	for name, begin := range outages {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				o := newOutage(t)
				if err := o.add("saved"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Second)
				begin(o.cable)
				unsaved := o.add("not saved")
				time.Sleep(time.Minute)
				began := time.Now()
				_, open, err := o.m.End(o.m.WithBudget(t.Context(), nil), jupyter.MustPath(o.path))
				took := time.Since(began)
				test.True(t, open, test.Sprint("it was open"))
				test.LessEq(t, 2*time.Second, took, test.Sprint("it was open"))
				// If the connection was seen to be cut first, the edit was not made.
				if err == nil && errors.As(unsaved, new(*session.UnconfirmedError)) {
					t.Error("nothing is said of the edit that no server has")
				}
			})
		})
	}
}
