package ydoc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// allocatedBy returns how many bytes f allocates.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestReadingOneCellCostsThatCell: after an edit of one cell, by this or another replica, reading it allocates on the
// order of that cell, in a notebook of 1,000 cells (3.6 MB) as in one of 10.
func TestReadingOneCellCostsThatCell(t *testing.T) {
	const cell = 3_600 // bytes
	kinds := map[string]func(e *Editor, i int) error{
		"metadata": func(e *Editor, i int) error { return e.SetCellMetadata("cell-5", "n", i) },
		"source": func(e *Editor, i int) error {
			c, _ := e.Cell("cell-5")
			at := strings.Index(c.Source, "compute")
			return e.SetSource("cell-5", c.Source[:at]+fmt.Sprint(i%10)+c.Source[at:])
		},
		"stream": func(e *Editor, _ int) error { return e.AppendStream("cell-5", "stderr", "line\n") },
		"outputs": func(e *Editor, i int) error {
			return e.SetOutputs("cell-5", []Output{{"output_type": "stream", "name": "stdout", "text": strings.Repeat(fmt.Sprint(i), 1_500)}})
		},
		"run": func(e *Editor, i int) error { return e.FinishRun("cell-5", &i) },
	}
	cost := map[string][2]uint64{}
	for size, count := range []int{10, 1_000} {
		a := bigNotebook(t, count)
		b := NewNotebook()
		apply(t, b.Doc, diff(t, a.Doc, nil))
		forward(t, a.Doc, b.Doc)
		for kind, fn := range kinds {
			for who, n := range map[string]*Notebook{"ours": a, "theirs": b} {
				_ = n.Cells()
				const times = 20
				sum := uint64(0)
				for i := range times {
					edit(t, a, func(e *Editor) error { return fn(e, i) })
					before := revisionOf(t, a, "cell-4")
					sum += allocatedBy(func() {
						c, ok := n.Cell("cell-5")
						must.True(t, ok, must.Sprint(kind))
						test.Greater(t, before, c.Revision, test.Sprint(kind))
						_ = n.Revision()
						_ = n.ChangesSince(n.Revision())
					})
				}
				name := kind + ", " + who
				sums := cost[name]
				sums[size] = sum / times
				cost[name] = sums
			}
		}
	}
	for name, c := range cost {
		test.LessEq(t, 4*cell, c[1], test.Sprint(name))
		test.LessEq(t, c[0]+c[0]/2+1<<10, c[1], test.Sprint(name))
	}
}

// TestAnAppendCostsWhatIsAppended: appending to a stream of two megabytes costs as much as to one of two kilobytes,
// also for a peer.
func TestAnAppendCostsWhatIsAppended(t *testing.T) {
	const times = 200
	var cost [2]uint64
	for i, size := range []int{2 << 10, 2 << 20} {
		a, b := NewNotebookWith(Options{ClientID: 1}), NewNotebookWith(Options{ClientID: 2})
		insert(t, a, 0, NewCell{ID: "c", Type: Code})
		edit(t, a, func(e *Editor) error { return e.AppendStream("c", "stdout", strings.Repeat("a line\n", size/7)) })
		apply(t, b.Doc, diff(t, a.Doc, nil))
		sent := 0
		a.OnUpdate(func(u []byte) { sent += len(u); apply(t, b.Doc, u) })
		more := func() {
			edit(t, a, func(e *Editor) error { return e.AppendStream("c", "stdout", "a line\n") })
		}
		for range 2 { // the buffers grow once
			more()
		}
		sent = 0
		cost[i] = allocatedBy(func() {
			for range times {
				more()
			}
		})
		if sent > times*60 {
			t.Errorf("%d bytes were sent for %d lines behind %d bytes", sent, times, size)
		}
		ca, _ := a.Cell("c")
		cb, _ := b.Cell("c")
		if !equalOutputs(ca.Outputs, cb.Outputs) {
			t.Error("the streams differ")
		}
	}
	if cost[1] > 2*cost[0]+times*2<<10 {
		t.Errorf("%d lines behind 2 KB cost %d bytes, behind 2 MB %d", times, cost[0], cost[1])
	}
}
