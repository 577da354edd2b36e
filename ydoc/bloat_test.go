package ydoc

import (
	"fmt"
	"strings"
	"testing"
)

// TestBloatTellsContentFromLeftovers edits until a document is mostly leftovers.
func TestBloatTellsContentFromLeftovers(t *testing.T) {
	n := NewNotebookWith(Options{ClientID: 1})
	if b := n.Bloat(); b != (Bloat{}) || b.Ratio() != 0 {
		t.Errorf("empty: %+v", b)
	}
	var source strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&source, "a_%04d = x\n", i)
	}
	insert(t, n, 0, NewCell{ID: "c", Type: Code, Source: source.String()})
	fresh := n.Bloat()
	if fresh.Structs != fresh.Live || fresh.Deleted != 0 || fresh.Bytes < 11_000 || fresh.Bytes > 12_000 || fresh.Ratio() != 1 {
		t.Errorf("fresh: %+v", fresh)
	}
	// Every other line is typed anew: each leaves a stretch of deleted characters between two of content.
	edit(t, n, func(e *Editor) error {
		c, _ := e.Cell("c")
		lines := strings.SplitAfter(c.Source, "\n")
		for i := 0; i < len(lines)-1; i += 2 {
			lines[i] = strings.Replace(lines[i], "x", "y", 1)
		}
		return e.SetSource("c", strings.Join(lines, ""))
	})
	edited := n.Bloat()
	if edited.Live < fresh.Live+900 || edited.Structs < edited.Live+450 || edited.Deleted < 500 || edited.Ratio() < 1.3 {
		t.Errorf("edited: %+v", edited)
	}
	// When the cell goes, next to nothing of all that is left over, as in Yjs.
	insert(t, n, 0, NewCell{ID: "d", Type: Raw})
	edit(t, n, func(e *Editor) error { return e.Delete("c") })
	gone := NewNotebook()
	apply(t, gone.Doc, diff(t, n.Doc, nil))
	if b := gone.Bloat(); b.Structs > 20 || b.Deleted < 7_000 {
		t.Errorf("deleted: %+v", b)
	}
}

// TestEncodedIsTheSizeOfTheState in random programs.
func TestEncodedIsTheSizeOfTheState(t *testing.T) {
	for seed := range uint64(30) {
		p := newProgram(t, seed+30_000, 2)
		for range 40 {
			p.change(p.peers[p.IntN(2)])
			p.network()
		}
		for _, n := range p.peers {
			size, b := len(diff(t, n.Doc, nil)), n.Bloat()
			if b.Encoded < size || b.Encoded > size+size/4+6*b.Structs {
				t.Fatalf("seed %d: %d bytes are encoded, %+v", seed, size, b)
			}
			if b.Live > b.Structs || b.Bytes > b.Encoded+structBytes*b.Live {
				t.Fatalf("seed %d: %+v", seed, b)
			}
		}
	}
}

func TestOutgrew(t *testing.T) {
	joined := Bloat{Structs: 30_000, Live: 10_000, Bytes: 1 << 20, Encoded: 2 << 20, Deleted: 500_000}
	for name, c := range map[string]struct {
		now  Bloat
		want bool
	}{
		"as it was":        {joined, false},
		"content added":    {Bloat{Structs: 500_000, Live: 480_000, Bytes: 90 << 20, Encoded: 91 << 20, Deleted: 500_000}, false},
		"some leftovers":   {Bloat{Structs: 100_000, Live: 10_000, Bytes: 1 << 20, Encoded: 3 << 20, Deleted: 900_000}, false},
		"many leftovers":   {Bloat{Structs: 120_000, Live: 10_000, Bytes: 1 << 20, Encoded: 3 << 20, Deleted: 900_000}, true},
		"bytes left over":  {Bloat{Structs: 30_000, Live: 10_000, Bytes: 1 << 20, Encoded: 22 << 20, Deleted: 500_000}, true},
		"content shrunken": {Bloat{Structs: 30_000, Live: 10, Bytes: 100, Encoded: 2 << 20, Deleted: 600_000}, false},
	} {
		if got := c.now.Outgrew(joined); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
