package ydoc

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

func TestSubscriptionsCoalesceAndNameOrigins(t *testing.T) {
	a, b := pair(t)
	forward(t, b.Doc, a.Doc)
	insert(t, a, 0, NewCell{ID: "c", Type: Code}, NewCell{ID: "d", Type: Code})
	s := b.Subscribe()
	defer s.Close()
	if c, err := s.Take(); err != nil || !c.Empty() {
		t.Fatalf("%+v %v", c, err)
	}
	for range 100 {
		edit(t, a, func(e *Editor) error { return e.AppendStream("c", "stdout", "x") })
	}
	edit(t, b, func(e *Editor) error { return e.SetSource("d", "x") })
	edit(t, b, func(e *Editor) error { return e.AppendStream("c", "stdout", "y") })
	c, err := s.Next(t.Context())
	must.NoError(t, err)
	must.SliceLen(t, 2, c.Cells)
	must.False(t, c.Order)
	o := c.Cells[0].Origin
	test.True(t, o.Ours)
	test.True(t, o.Others)
	test.SliceEqOp(t, []uint64{1}, o.Clients)
	test.True(t, c.Cells[0].Outputs)
	test.False(t, c.Cells[0].Source)
	o = c.Cells[1].Origin
	test.True(t, o.Ours)
	test.False(t, o.Others)
	test.Nil(t, o.Clients)
	test.True(t, c.Origin.Ours)
	test.SliceEqOp(t, []uint64{1}, c.Origin.Clients)
	// Several clients in one update are reported separately.
	x, y := NewNotebookWith(Options{ClientID: 3}), NewNotebookWith(Options{ClientID: 4})
	for _, n := range []*Notebook{x, y} {
		apply(t, n.Doc, diff(t, b.Doc, nil))
	}
	edit(t, x, func(e *Editor) error { return e.SetSource("d", "xx") })
	edit(t, y, func(e *Editor) error { return e.FinishRun("c", new(int)) })
	apply(t, x.Doc, diff(t, y.Doc, nil))
	apply(t, b.Doc, diff(t, x.Doc, stateVector(t, b.Doc)))
	c, _ = s.Take()
	must.SliceLen(t, 2, c.Cells)
	test.SliceEqOp(t, []uint64{4}, c.Cells[0].Origin.Clients)
	test.SliceEqOp(t, []uint64{3}, c.Cells[1].Origin.Clients)
	edit(t, a, func(e *Editor) error { return e.Delete("d") })
	c, _ = s.Take()
	test.SliceEqOp(t, []string{"d"}, c.Deleted)
	test.True(t, c.Order)
	test.True(t, c.Origin.Others)
	// The state map is not content, but its changes are reported.
	b.replica.Transact(func(x *crdt.Tx) { x.Set(b.state, "dirty", true) })
	c, _ = s.Take()
	test.True(t, c.State)
	must.SliceEmpty(t, c.Cells)
	test.Eq(t, c.From, c.To)
	test.True(t, b.State().Dirty)
}

func TestNextWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := NewText()
		s := n.Subscribe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		go func() {
			time.Sleep(time.Second)
			_ = n.Edit("x", func(e *TextEditor) error { return e.Replace(0, 0, "x") })
		}()
		c, err := s.Next(t.Context())
		must.NoError(t, err)
		test.True(t, c.Text)
		test.True(t, c.Origin.Ours)
		go func() {
			time.Sleep(time.Second)
			_ = n.do("x", func() error { panic("x") })
		}()
		for range 2 {
			if _, err := s.Next(t.Context()); !errors.Is(err, ErrBroken) {
				t.Errorf("%v", err)
			}
		}
		done := make(chan error)
		o := NewText().Subscribe()
		go func() { _, err := o.Next(context.Background()); done <- err }()
		synctest.Wait()
		o.Close()
		o.Close()
		if err := <-done; !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
		s.Close()
	})
}

// TestSubscriptionsAreBounded: a subscriber that never takes its changes must cost neither time nor unbounded memory.
func TestSubscriptionsAreBounded(t *testing.T) {
	n := NewNotebook()
	s := n.Subscribe()
	defer s.Close()
	for i := range 3 {
		cells := make([]NewCell, 2_000)
		for k := range cells {
			cells[k] = NewCell{ID: fmt.Sprintf("%d-%d", i, k), Type: Raw}
		}
		insert(t, n, 0, cells...)
	}
	if len(s.cells) > maxOrigins {
		t.Errorf("%d cells are remembered", len(s.cells))
	}
	c, err := s.Take()
	must.NoError(t, err)
	must.SliceLen(t, 6_000, c.Cells)
	test.MapEmpty(t, s.cells)
}
