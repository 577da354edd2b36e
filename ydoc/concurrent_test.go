package ydoc

import (
	"errors"
	"sync"
	"testing"
)

// Test32GoroutinesUse8Documents is for the race detector: they edit, read, undo, subscribe and exchange updates, each
// document from four goroutines and each pair of neighbours in both directions.
func Test32GoroutinesUse8Documents(t *testing.T) {
	docs := make([]*Notebook, 8)
	for i := range docs {
		docs[i] = NewNotebook()
		recorded(t, 8, docs[i])
		insert(t, docs[i], 0, NewCell{ID: "c", Type: Code, Source: "x = 1\n"})
	}
	var wg sync.WaitGroup
	for g := range 32 {
		wg.Go(func() {
			n, peer := docs[g%8], docs[(g+1)%8]
			s := n.Subscribe()
			defer s.Close()
			for i := range 30 {
				if err := useDocument((g/8+i)%6, n, peer, s); err != nil {
					t.Errorf("goroutine %d: %v", g, err)
				}
			}
		})
	}
	wg.Wait()
	for i, n := range docs {
		if err := n.Err(); err != nil {
			t.Errorf("document %d: %v", i, err)
		}
	}
}

// useDocument performs one of several operations on n.
func useDocument(what int, n, peer *Notebook, s *Subscription) error {
	switch what {
	case 0:
		return n.Edit("stream", func(e *Editor) error { return e.AppendStream("c", "stdout", "text 😀\n") })
	case 1:
		return change(n, "source", func(e *Editor) error {
			c, _ := e.Cell("c")
			return e.SetSource("c", c.Source+"y = 2\n")
		})
	case 2:
		sv, _ := peer.StateVector()
		u, err := n.Diff(sv)
		if err == nil {
			err = peer.Apply(u)
		}
		if errors.Is(err, ErrPending) {
			err = nil
		}
		return err
	case 3:
		for _, c := range n.Cells() {
			for _, o := range c.Outputs {
				_ = o.Type()
			}
		}
		_, _ = n.Cell("c")
		_ = n.ChangesSince(n.Revision())
		_ = n.Bloat()
	case 4:
		if p, err := n.RelativePosition("c", 0); err == nil {
			_, _, _ = n.ResolvePosition(p)
		}
		_, err := s.Take()
		return err
	case 5:
		for _, redo := range []bool{false, true} {
			if _, err := back(n.Doc, redo); err != nil && !errors.Is(err, errNothing) {
				return err
			}
		}
	}
	return nil
}
