package ydoc

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// bigNotebook makes n code cells of about 3.6 KB each, including outputs.
func bigNotebook(tb testing.TB, n int) *Notebook {
	tb.Helper()
	nb := NewNotebook()
	cells := make([]NewCell, n)
	for i := range cells {
		cells[i] = NewCell{ID: fmt.Sprintf("cell-%d", i), Type: Code, Source: strings.Repeat(fmt.Sprintf("value_%d = compute(%d)\n", i, i), 20)}
	}
	insert(tb, nb, 0, cells...)
	edit(tb, nb, func(e *Editor) error {
		for i := range cells {
			k := i
			_ = e.AppendStream(cells[i].ID, "stdout", strings.Repeat("a line of output é\n", 80))
			_ = e.AppendOutput(cells[i].ID, Output{
				"output_type": "display_data",
				"data":        map[string]any{"text/plain": "<Figure>", "text/html": strings.Repeat("<td>1.25</td>", 120)},
			})
			_ = e.FinishRun(cells[i].ID, &k)
		}
		return nil
	})
	return nb
}

func BenchmarkApply1000Cells(b *testing.B) {
	full := diff(b, bigNotebook(b, 1000).Doc, nil)
	b.SetBytes(int64(len(full)))
	b.ReportAllocs()
	for b.Loop() {
		apply(b, NewNotebook().Doc, full)
	}
}

func BenchmarkApplyAndRead1000Cells(b *testing.B) {
	full := diff(b, bigNotebook(b, 1000).Doc, nil)
	b.ReportAllocs()
	for b.Loop() {
		n := NewNotebook()
		apply(b, n.Doc, full)
		if len(n.Cells()) != 1000 {
			b.Fatal("cells are missing")
		}
	}
}

func BenchmarkEncode1000Cells(b *testing.B) {
	n := NewNotebook()
	apply(b, n.Doc, diff(b, bigNotebook(b, 1000).Doc, nil))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = n.Diff(nil)
	}
}

// BenchmarkReadOneOf1000 edits one cell of a large notebook and reads it.
func BenchmarkReadOneOf1000(b *testing.B) {
	n := bigNotebook(b, 1000)
	_ = n.Cells()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		_ = n.Edit("x", func(e *Editor) error { return e.SetCellMetadata("cell-500", "n", i) })
		_, _ = n.Cell("cell-500")
	}
}

func textEdit(b *testing.B, t *Text, fn func(e *TextEditor) error) {
	if err := t.Edit("x", fn); err != nil {
		b.Fatal(err)
	}
}

const edits = 10_000

func randomInserts(b *testing.B, each func(t *Text)) {
	r := rand.New(rand.NewPCG(1, 2))
	t := NewText()
	for i := range edits {
		pos := r.IntN(i + 1)
		textEdit(b, t, func(e *TextEditor) error { return e.Replace(pos, 0, "x") })
		each(t)
	}
}

func BenchmarkRandomInserts10k(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		randomInserts(b, func(*Text) {})
	}
}

func BenchmarkRandomInserts10kEachRead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		randomInserts(b, func(t *Text) { n += len(t.String()) })
	}
}

func BenchmarkRandomInserts10kRemote(b *testing.B) {
	var updates [][]byte
	r := rand.New(rand.NewPCG(1, 2))
	t := NewText()
	t.OnUpdate(func(u []byte) { updates = append(updates, u) })
	for i := range edits {
		pos := r.IntN(i + 1)
		textEdit(b, t, func(e *TextEditor) error { return e.Replace(pos, 0, "x") })
	}
	for _, read := range []bool{false, true} {
		b.Run(fmt.Sprintf("read=%v", read), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t, n := NewText(), 0
				for _, u := range updates {
					if err := t.Apply(u); err != nil {
						b.Fatal(err)
					}
					if read {
						n += len(t.String())
					}
				}
			}
		})
	}
}

func streamAppends(b *testing.B, line string, onUpdate func([]byte), each func(n *Notebook)) {
	n := NewNotebook()
	insert(b, n, 0, NewCell{ID: "c", Type: Code})
	n.OnUpdate(onUpdate)
	for range edits {
		if err := n.Edit("x", func(e *Editor) error { return e.AppendStream("c", "stdout", line) }); err != nil {
			b.Fatal(err)
		}
		each(n)
	}
}

func BenchmarkStreamAppends10k(b *testing.B) {
	for name, line := range map[string]string{"ascii": "epoch 12: loss 0.123, accuracy 0.98\n", "other": "Ereignis: größer als 😀 erwartet\n"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				streamAppends(b, line, nil, func(*Notebook) {})
			}
		})
		b.Run(name+"/read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				streamAppends(b, line, nil, func(n *Notebook) { _, _ = n.Cell("c") })
			}
		})
		b.Run(name+"/remote", func(b *testing.B) {
			n := NewNotebook()
			var updates [][]byte
			streamAppends(b, line, func(u []byte) { updates = append(updates, u) }, func(m *Notebook) {
				if n.Len() == 0 {
					apply(b, n.Doc, diff(b, m.Doc, nil))
				}
			})
			start := diff(b, n.Doc, nil)
			b.ReportAllocs()
			for b.Loop() {
				n := NewNotebook()
				apply(b, n.Doc, start)
				for _, u := range updates {
					if err := n.Apply(u); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkOutputs10k(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		n := NewNotebook()
		insert(b, n, 0, NewCell{ID: "c", Type: Code})
		for range edits {
			edit(b, n, func(e *Editor) error {
				return e.AppendOutput("c", Output{"output_type": "display_data", "data": map[string]any{"text/plain": "x"}})
			})
		}
	}
}

// BenchmarkOpenDocuments reports the memory of 100 open documents of 100 cells, before and after reading them.
func BenchmarkOpenDocuments(b *testing.B) {
	full := diff(b, bigNotebook(b, 100).Doc, nil)
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	for b.Loop() {
		before := heap()
		docs := make([]*Notebook, 100)
		for i := range docs {
			docs[i] = NewNotebook()
			apply(b, docs[i].Doc, full)
		}
		b.ReportMetric(heap()-before, "MB")
		for _, n := range docs {
			_ = n.Cells()
		}
		b.ReportMetric(heap()-before, "MB-read")
		b.ReportMetric(float64(100*len(full))/(1<<20), "MB-content")
		runtime.KeepAlive(docs)
	}
}

func BenchmarkRandomPrograms(b *testing.B) {
	t := &testing.T{}
	for b.Loop() {
		p := newProgram(t, 7, 3)
		for range 100 {
			p.change(p.peers[p.IntN(3)])
			p.network()
		}
	}
}
