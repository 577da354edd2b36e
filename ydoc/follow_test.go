package ydoc

import (
	"slices"
	"testing"
)

// A recorder is told of each edit and update by itself, with the cells as they were after it.
func TestFollow(t *testing.T) {
	a, b := pair(t)
	forward(t, b.Doc, a.Doc)
	insert(t, a, 0, NewCell{ID: "c", Type: Code}, NewCell{ID: "d", Type: Code})
	var told []Batch
	whole := false
	stop := b.Follow(func(batch Batch) bool {
		told = append(told, batch)
		return whole
	})
	if len(told) != 1 || told[0].Complete || len(told[0].Now) != 2 || !slices.Equal(told[0].IDs, []string{"c", "d"}) {
		t.Fatalf("%+v", told)
	}
	edit(t, a, func(e *Editor) error { return e.SetSource("c", "x") })
	edit(t, a, func(e *Editor) error { return e.SetSource("c", "xy") })
	edit(t, b, func(e *Editor) error { return e.Move("c", 1) })
	if len(told) != 4 {
		t.Fatalf("%+v", told)
	}
	for i, want := range []string{"x", "xy"} {
		if batch := told[i+1]; !batch.Complete || batch.IDs != nil || len(batch.Now) != 1 || batch.Now[0].Source != want || !slices.Equal(batch.Cells[0].Origin.Clients, []uint64{1}) {
			t.Errorf("%+v", batch)
		}
	}
	if batch := told[3]; !batch.Origin.Ours || batch.Origin.Others || !slices.Equal(batch.IDs, []string{"d", "c"}) || batch.To != b.Revision() {
		t.Errorf("%+v", batch)
	}
	whole = true
	edit(t, a, func(e *Editor) error { return e.SetSource("d", "x") })
	edit(t, a, func(e *Editor) error { return e.SetSource("d", "xy") })
	if batch := told[5]; batch.Complete || len(batch.Now) != 2 || batch.Now[0].Source != "xy" {
		t.Errorf("%+v", batch)
	}
	stop()
	edit(t, a, func(e *Editor) error { return e.SetSource("d", "z") })
	if len(told) != 6 {
		t.Errorf("told %d times", len(told))
	}
}
