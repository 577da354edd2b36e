package session_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// noticed is how long it takes until a stalled connection is noticed, and a call checks the room. It is answered as soon as
// the connection works again; a cut connection is joined again after a pause, which is random.
const noticed = 8 * time.Second

// slowThenStopped makes a call whose server first takes six seconds for an answer, and then does not answer.
func (o *outage) slowThenStopped() error {
	o.t.Helper()
	o.cable.Stall()
	time.Sleep(noticed)
	ctx := o.m.WithBudget(o.t.Context(), nil)
	time.AfterFunc(6*time.Second, o.cable.Mend)
	began := time.Now()
	if err := o.d.Fresh(ctx); err != nil {
		o.t.Fatalf("the first answer: %v after %s", err, time.Since(began))
	}
	if time.Since(began) < 5*time.Second {
		o.t.Fatalf("the first answer came after %s", time.Since(began))
	}
	err := o.d.Edit(ctx, "add a cell", func(e *ydoc.Editor) error {
		o.cable.Stall()
		_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "late"})
		return err
	})
	if took := time.Since(began); took > session.DefaultServerTimeout+time.Second {
		o.t.Errorf("the call takes %s", took)
	}
	return err
}

// A call waits for the server for its total time, and not again for each answer. The result of its edit is reported as
// usual.
func TestACallWaitsForTheServerOnce(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		err := o.slowThenStopped()
		must.True(t, errors.As(err, new(*session.UnconfirmedError)), must.Sprint("its edit"))
		test.ErrorIs(t, err, jupyter.ErrUnreachable, test.Sprint("its edit"))
		o.cable.Mend()
		err = o.bounded("another call", o.d.Fresh)
		must.NoError(t, err, must.Sprint("when it is back"))
		test.True(t, o.seen("late"), test.Sprint("when it is back"))
	})
}

// A call with little time left does not affect others: the server may be slow, and they wait for their full time.
func TestACallWithLittleLeftTellsNobody(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		_ = o.slowThenStopped()
		time.AfterFunc(3*time.Second, o.cable.Mend)
		err := o.add("after")
		must.NoError(t, err, must.Sprint("the next call"))
		test.True(t, o.seen("after"), test.Sprint("the next call"))
	})
}

// Waits of one call at the same time count once.
func TestWaitsAtTheSameTime(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		o.cable.Stall()
		time.Sleep(noticed)
		ctx := o.m.WithBudget(t.Context(), nil)
		time.AfterFunc(4*time.Second, o.cable.Mend)
		answers := make(chan error)
		for range 3 {
			go func() { answers <- o.d.Fresh(ctx) }()
		}
		for range 3 {
			if err := <-answers; err != nil {
				t.Fatal(err)
			}
		}
		o.cable.Stall()
		time.Sleep(noticed)
		time.AfterFunc(5*time.Second, o.cable.Mend)
		if err := o.d.Fresh(ctx); err != nil {
			t.Errorf("a wait behind them: %v", err)
		}
	})
}

// A call whose time ends while it checks whether the server is back stops checking.
func TestATimeThatEndsInALook(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		o.cable.Stall()
		time.Sleep(noticed)
		begun := time.Now()
		time.AfterFunc(session.DefaultServerTimeout-250*time.Millisecond, func() { o.m.Servers().Documents.Health.Silent(begun) })
		took := make(chan time.Duration)
		const calls = 40
		for range calls {
			go func() {
				if err := o.d.Fresh(o.m.WithBudget(t.Context(), nil)); !errors.Is(err, jupyter.ErrUnreachable) {
					t.Error(err)
				}
				took <- time.Since(begun)
			}()
		}
		for range calls {
			if d := <-took; d > session.DefaultServerTimeout+time.Second {
				t.Errorf("a call takes %v", d)
			}
		}
	})
}
