package ydoc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

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
	if err != nil || len(c.Cells) != 2 || c.Order {
		t.Fatalf("%+v %v", c, err)
	}
	if o := c.Cells[0].Origin; !o.Ours || !o.Others || !slices.Equal(o.Clients, []uint64{1}) || !c.Cells[0].Outputs || c.Cells[0].Source {
		t.Errorf("%+v", c.Cells[0])
	}
	if o := c.Cells[1].Origin; !o.Ours || o.Others || o.Clients != nil {
		t.Errorf("%+v", c.Cells[1])
	}
	if !c.Origin.Ours || !slices.Equal(c.Origin.Clients, []uint64{1}) {
		t.Errorf("%+v", c.Origin)
	}
	// Several clients in one update are told apart.
	x, y := NewNotebookWith(Options{ClientID: 3}), NewNotebookWith(Options{ClientID: 4})
	for _, n := range []*Notebook{x, y} {
		apply(t, n.Doc, diff(t, b.Doc, nil))
	}
	edit(t, x, func(e *Editor) error { return e.SetSource("d", "xx") })
	edit(t, y, func(e *Editor) error { return e.FinishRun("c", new(int)) })
	apply(t, x.Doc, diff(t, y.Doc, nil))
	apply(t, b.Doc, diff(t, x.Doc, stateVector(t, b.Doc)))
	c, _ = s.Take()
	if len(c.Cells) != 2 || !slices.Equal(c.Cells[0].Origin.Clients, []uint64{4}) || !slices.Equal(c.Cells[1].Origin.Clients, []uint64{3}) {
		t.Errorf("%+v", c)
	}
	edit(t, a, func(e *Editor) error { return e.Delete("d") })
	c, _ = s.Take()
	if !slices.Equal(c.Deleted, []string{"d"}) || !c.Order || !c.Origin.Others {
		t.Errorf("%+v", c)
	}
	// The state map is no content, but said.
	b.replica.Transact(func(x *crdt.Tx) { x.Set(b.state, "dirty", true) })
	if c, _ = s.Take(); !c.State || len(c.Cells) != 0 || c.To != c.From || !b.State().Dirty {
		t.Errorf("%+v", c)
	}
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
		if c, err := s.Next(t.Context()); err != nil || !c.Text || !c.Origin.Ours {
			t.Errorf("%+v %v", c, err)
		}
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

// TestSubscriptionsAreBounded: a subscriber who never comes must cost neither time nor unbounded memory.
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
	if c, err := s.Take(); err != nil || len(c.Cells) != 6_000 || len(s.cells) != 0 {
		t.Errorf("%d cells changed (%v), %d are still remembered", len(c.Cells), err, len(s.cells))
	}
}
