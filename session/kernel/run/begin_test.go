package run

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbduet/nbduet/session/kernel"
)

// interruptCounter counts the interrupts of a notebook's kernel.
type interruptCounter struct {
	*fakeNotebook
	interrupts atomic.Int32
}

func (n *interruptCounter) Interrupt(context.Context) error {
	n.interrupts.Add(1)
	return nil
}

// A run that is cancelled while the kernel prepares its code is interrupted when the code has begun, and not before,
// because the kernel would ignore it. If the kernel does not report the begin, it is soon.
func TestInterruptedWhenTheCodeBegins(t *testing.T) {
	for _, c := range []struct {
		name   string
		begins kernel.Event
	}{
		{"told", kernel.Input{Count: 1}},
		{"prints", kernel.Stream{Name: "stdout", Text: "1"}},
		{"silent", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				nb := &interruptCounter{fakeNotebook: newFakeNotebook()}
				cells := NewCells(t.Context(), nb, NewTable(TableConfig{}), nil)
				r, err := cells.RunNew(t.Context(), "1", Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer r.end(Done, nil)
				out := cells.newWriter(r, nil)
				r.begin(out)
				ctx, stop := context.WithCancel(t.Context())
				in := &inputs{q: cells.Queue, r: r, w: out, ctx: ctx}
				in.handle(kernel.Status{State: kernel.StateBusy})
				if err := r.Cancel(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(beginPause - 1)
				synctest.Wait()
				if nb.interrupts.Load() != 0 {
					t.Error("interrupted before the code began")
				}
				if c.begins != nil {
					in.handle(c.begins)
				}
				time.Sleep(beginPause)
				synctest.Wait()
				if n := nb.interrupts.Load(); n != 1 {
					t.Errorf("interrupted %d times", n)
				}
				stop()
				in.wg.Wait()
				cells.wg.Wait()
				out.Finish()
			})
		})
	}
}
