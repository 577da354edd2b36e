package ydoc

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A follower gets each edit and update separately, with the cells after it.
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
	must.SliceLen(t, 1, told)
	must.False(t, told[0].Complete)
	must.SliceLen(t, 2, told[0].Now)
	must.SliceEqOp(t, []string{"c", "d"}, told[0].IDs)
	edit(t, a, func(e *Editor) error { return e.SetSource("c", "x") })
	edit(t, a, func(e *Editor) error { return e.SetSource("c", "xy") })
	edit(t, b, func(e *Editor) error { return e.Move("c", 1) })
	if len(told) != 4 {
		t.Fatalf("%+v", told)
	}
	for i, want := range []string{"x", "xy"} {
		batch := told[i+1]
		test.True(t, batch.Complete)
		must.Nil(t, batch.IDs)
		must.SliceLen(t, 1, batch.Now)
		test.Eq(t, want, batch.Now[0].Source)
		test.SliceEqOp(t, []uint64{1}, batch.Cells[0].Origin.Clients)
	}
	batch := told[3]
	test.True(t, batch.Origin.Ours)
	test.False(t, batch.Origin.Others)
	test.SliceEqOp(t, []string{"d", "c"}, batch.IDs)
	test.Eq(t, b.Revision(), batch.To)
	whole = true
	edit(t, a, func(e *Editor) error { return e.SetSource("d", "x") })
	edit(t, a, func(e *Editor) error { return e.SetSource("d", "xy") })
	batch = told[5]
	test.False(t, batch.Complete)
	must.SliceLen(t, 2, batch.Now)
	test.Eq(t, "xy", batch.Now[0].Source)
	stop()
	edit(t, a, func(e *Editor) error { return e.SetSource("d", "z") })
	if len(told) != 6 {
		t.Errorf("told %d times", len(told))
	}
}
