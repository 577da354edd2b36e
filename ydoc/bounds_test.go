package ydoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// TestADocumentWithinItsLimitsCanBeJoined fills a document until it breaks: up to then a peer with the same limits must
// have taken its whole state in one update.
func TestADocumentWithinItsLimitsCanBeJoined(t *testing.T) {
	if l := (Limits{}).orDefaults(); l != DefaultLimits || l.Structs != l.Wire.Structs || l.Clients != l.Wire.Clients || l.DocumentBytes != l.Wire.UpdateBytes {
		t.Errorf("defaults %+v", l)
	}
	for name, change := range map[string]func(l *wire.Limits){
		"structs": func(l *wire.Limits) { l.Structs = 200 },
		"bytes":   func(l *wire.Limits) { l.UpdateBytes = 20_000 },
		"clients": func(l *wire.Limits) { l.Clients = 5 },
	} {
		lim := wire.DefaultLimits
		change(&lim)
		n := NewNotebookWith(Options{Limits: Limits{Wire: lim}})
		var state []byte
		var err error
		steps := 0
		for ; err == nil && steps < 1000; steps++ {
			state = diff(t, n.Doc, nil)
			if peer := NewNotebookWith(Options{Limits: Limits{Wire: lim}}); steps > 0 {
				if err := peer.Apply(state); err != nil {
					t.Fatalf("%s: a state of %d bytes cannot be joined: %v", name, len(state), err)
				}
			}
			writer := NewNotebook()
			apply(t, writer.Doc, state)
			insert(t, writer, 0, NewCell{Type: Raw, Source: strings.Repeat("x", 500)})
			err = n.Apply(diff(t, writer.Doc, stateVector(t, n.Doc)))
		}
		if !errors.Is(err, ErrBroken) || !errors.Is(err, errOversize) || steps < 3 {
			t.Errorf("%s: after %d steps %v", name, steps, err)
		}
	}
}

// TestDeepNestingIsCut gives a cell's metadata thousands of maps in each other. They must be kept, and read to a depth
// that nothing stumbles over.
func TestDeepNestingIsCut(t *testing.T) {
	const depth = 20_000
	a := NewNotebookWith(Options{ClientID: 1})
	insert(t, a, 0, NewCell{ID: "c", Type: Code})
	a.Cells()
	a.transact(func(x *tx) {
		m := a.order[0].typ.child(keyMetadata, kindMap)
		for range depth {
			m = x.setType(m, "k", kindMap)
		}
	})
	b := NewNotebook()
	apply(t, b.Doc, diff(t, a.Doc, nil))
	c, _ := b.Cell("c")
	levels := 0
	for m := c.Metadata; m != nil; levels++ {
		m, _ = m["k"].(map[string]any)
	}
	if levels < 100 || levels > maxNesting+2 {
		t.Errorf("%d levels are read", levels)
	}
	if _, err := json.Marshal(b.JSON()); err != nil {
		t.Error(err)
	}
	edit(t, b, func(e *Editor) error { return e.Delete("c") })
	if _, err := b.Undo(); err != nil || b.Bloat().Structs < depth {
		t.Errorf("%v, %+v", err, b.Bloat())
	}
}

func TestDeletedCellsAreRememberedUpToABound(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "stays", Type: Raw})
	start := n.Revision()
	var middle Revision
	for i := range maxGraves + 10 {
		id := fmt.Sprintf("c%d", i)
		insert(t, n, 1, NewCell{ID: id, Type: Raw})
		if n.Revision(); i == 20 {
			middle = n.Revision()
		}
		edit(t, n, func(e *Editor) error { return e.Delete(id) })
		n.Revision()
	}
	if c := n.ChangesSince(start); c.Complete || len(c.Cells) != 1 || c.Deleted != nil {
		t.Errorf("since the start: %+v", c)
	}
	if c := n.ChangesSince(middle); !c.Complete || len(c.Deleted) != maxGraves-10 || c.Deleted[0] != "c20" || len(c.Cells) != 0 {
		t.Errorf("since the middle: complete %v, %d deleted", c.Complete, len(c.Deleted))
	}
	if len(n.gone.dead) > maxGraves {
		t.Errorf("%d are remembered", len(n.gone.dead))
	}
}

// TestManySmallVersionsAreBounded: the older sources of many deleted cells are few bytes each, but many.
func TestManySmallVersionsAreBounded(t *testing.T) {
	n := NewNotebookWith(Options{Limits: Limits{HistoryBytes: 10_000}})
	insert(t, n, 0, NewCell{ID: "stays", Type: Raw})
	for i := range 400 {
		id := fmt.Sprintf("c%d", i)
		insert(t, n, 1, NewCell{ID: id, Type: Raw, Source: "x"})
		n.Revision()
		edit(t, n, func(e *Editor) error { return e.SetSource(id, "") })
		n.Revision()
		edit(t, n, func(e *Editor) error { return e.Delete(id) })
		n.Revision()
	}
	if kept := len(n.archive.old); kept > 10_000/versionBytes {
		t.Errorf("%d versions are kept", kept)
	}
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
