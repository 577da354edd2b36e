package changelog

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/session/sessiontest/heap"
	"github.com/nbduet/nbduet/ydoc"
)

// Ten open notebooks with full histories take at most 3 MB more, and a hundred 30 MB: histories do not share memory.
func TestMemory(t *testing.T) {
	if !heap.Alone(t) {
		return
	}
	const notebooks, most = 10, 3_000_000
	books, logs := make([]*ydoc.Notebook, notebooks), make([]*Log, notebooks)
	for i := range books {
		books[i] = ydoc.NewNotebook()
		edits(t, books[i], func(e *ydoc.Editor) error {
			for range 20 {
				if _, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code, Source: "begin\n"}); err != nil {
					return err
				}
			}
			return nil
		})
		l := New(books[i], nil)
		ids, texts := books[i].IDs(), make([]string, 20)
		for n := 0; l.base == 0; n++ {
			l.Seal()
			// Of all sizes, because some entries take more memory than is counted.
			texts[n%len(ids)] += strings.Repeat(fmt.Sprint(n, " words "), 1+n%120)
			edits(t, books[i], setSource(ids[n%len(ids)], texts[n%len(ids)]))
		}
		logs[i] = l
	}
	with := heap.Bytes()
	for _, l := range logs {
		l.entries, l.marks, l.cells, l.order = nil, nil, nil, nil
	}
	took := with - heap.Bytes()
	t.Logf("%d histories take %d bytes", notebooks, took)
	if took > most {
		t.Errorf("%d histories take %d bytes, at most %d are wanted", notebooks, took, most)
	}
	runtime.KeepAlive(books)
	runtime.KeepAlive(logs)
}

// large returns a notebook with this number of cells.
func large(b *testing.B, cells int) *ydoc.Notebook {
	b.Helper()
	nb := ydoc.NewNotebook()
	edits(b, nb, func(e *ydoc.Editor) error {
		for i := range cells {
			if _, err := e.Insert(i, ydoc.NewCell{ID: fmt.Sprint("c", i), Type: ydoc.Code, Source: strings.Repeat("x = 1\n", 10)}); err != nil {
				return err
			}
		}
		return nil
	})
	return nb
}

// watched follows the changes of a notebook, as an open document always does.
func watched(b *testing.B, nb *ydoc.Notebook) (look func()) {
	b.Helper()
	s := nb.Subscribe()
	b.Cleanup(s.Close)
	return func() {
		if _, err := s.Take(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEdit edits a cell, with a history and without. Both read the revision after it, as each answer does.
func BenchmarkEdit(b *testing.B) {
	for _, cells := range []int{50, 5_000, 20_000} {
		for _, with := range []bool{false, true} {
			b.Run(fmt.Sprintf("cells=%d/history=%t", cells, with), func(b *testing.B) {
				nb := large(b, cells)
				look, read := watched(b, nb), nb.Revision
				if with {
					read = New(nb, nil).Seal
				}
				for i := 0; b.Loop(); i++ {
					edits(b, nb, setSource(fmt.Sprint("c", i%cells), fmt.Sprint("y = ", i)))
					look()
					read()
				}
			})
		}
	}
}

// BenchmarkMove moves a cell, with a history and without.
func BenchmarkMove(b *testing.B) {
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprintf("cells=5000/history=%t", with), func(b *testing.B) {
			nb := large(b, 5_000)
			look := watched(b, nb)
			if with {
				New(nb, nil)
			}
			for i := 0; b.Loop(); i++ {
				edits(b, nb, func(e *ydoc.Editor) error { return e.Move(fmt.Sprint("c", i*7%5_000), i*13%5_000) })
				look()
			}
		})
	}
}

// BenchmarkOutputs adds a line to a cell with a megabyte of outputs, with a history and without.
func BenchmarkOutputs(b *testing.B) {
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprintf("history=%t", with), func(b *testing.B) {
			nb := large(b, 50)
			look := watched(b, nb)
			if with {
				New(nb, nil)
			}
			out := ydoc.Output{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{"text/plain": strings.Repeat("x", 1_000_000)}}
			edits(b, nb, func(e *ydoc.Editor) error { return e.AppendOutput("c7", out) })
			for b.Loop() {
				edits(b, nb, func(e *ydoc.Editor) error { return e.AppendStream("c7", "stdout", "line\n") })
				look()
			}
		})
	}
}

// BenchmarkOpen opens a notebook: all of it arrives, and is followed. It runs in pairs, with a history and without, and
// reports the medians and the median of the differences, in milliseconds.
func BenchmarkOpen(b *testing.B) {
	for _, cells := range []int{50, 5_000} {
		b.Run(fmt.Sprintf("cells=%d", cells), func(b *testing.B) {
			u, err := large(b, cells).Diff(nil)
			if err != nil {
				b.Fatal(err)
			}
			open := func(with bool) time.Duration {
				nb := ydoc.NewNotebook()
				runtime.GC() // garbage of the last one is not counted
				start := time.Now()
				if err := nb.Apply(u); err != nil {
					b.Fatal(err)
				}
				s := nb.Subscribe()
				defer s.Close()
				if with {
					New(nb, nil)
				}
				return time.Since(start)
			}
			var withs, withouts, added []time.Duration
			for i := 0; b.Loop(); i++ {
				first := open(i%2 == 0)
				second := open(i%2 != 0)
				if i%2 != 0 {
					first, second = second, first
				}
				withs, withouts, added = append(withs, first), append(withouts, second), append(added, first-second)
			}
			for unit, list := range map[string][]time.Duration{"with-ms": withs, "without-ms": withouts, "added-ms": added} {
				slices.Sort(list)
				b.ReportMetric(float64(list[len(list)/2].Microseconds())/1000, unit)
			}
		})
	}
}

// BenchmarkRead reads a revision.
func BenchmarkRead(b *testing.B) {
	nb := large(b, 5_000)
	l := New(nb, nil)
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			nb.Revision()
		}
	})
	b.Run("with", func(b *testing.B) {
		for b.Loop() {
			l.Seal()
		}
	})
}

// BenchmarkSince lists all changes of a full history.
func BenchmarkSince(b *testing.B) {
	nb := large(b, 100)
	l := New(nb, nil)
	r := l.Seal()
	for i := range 700 {
		edits(b, nb, setSource(fmt.Sprint("c", i*7%100), fmt.Sprint("y = ", i)))
		l.Seal()
	}
	for b.Loop() {
		told, _ := l.Since(r)
		told.Changes(told.Len(), nil)
	}
}
