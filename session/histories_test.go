package session

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/sessiontest/heap"
	"github.com/nbduet/nbduet/ydoc"
)

// A hundred open notebooks with full histories of changes and undo steps take at most 30 MB more than without. The test
// opens ten and counts their histories ten times, because histories share nothing; the steps of all notebooks together have
// one bound.
func TestHistoriesFit(t *testing.T) {
	if !heap.Alone(t) {
		return
	}
	const notebooks, times, calls, most = 10, 10, 40, 30_000_000
	w := newFakeWorld(t, Config{MaxRooms: notebooks})
	defer closeWorld(t, w)
	w.steps.Beside = func() int { return times * w.changes.Bytes() }
	docs := make([]*Document, notebooks)
	for i := range docs {
		docs[i] = w.mustOpen(t, fmt.Sprintf("%d.ipynb", i))
		defer docs[i].Release()
		edit := func(call int, fn func(e *ydoc.Editor) error) {
			t.Helper()
			ctx := origin.With(context.Background(), origin.Author{Client: "a", Call: uint64(1000*i + call), Tool: "modify_nb_cells", Reason: "to see how much is kept"})
			if err := docs[i].Edit(ctx, "edit", fn); err != nil {
				t.Fatal(err)
			}
		}
		edit(1, func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "c0", Type: ydoc.Code}, ydoc.NewCell{ID: "c1", Type: ydoc.Code})
			return err
		})
		for n := range calls {
			edit(n+2, func(e *ydoc.Editor) error {
				return e.SetSource(fmt.Sprint("c", n%2), strings.Repeat(fmt.Sprintf("line %d of the %d\n", n, 10+i), 220))
			})
			docs[i].History().Seal()
		}
	}
	if full := times * w.changes.Bytes(); full < 24_000_000 {
		t.Errorf("the changes of all are %d bytes: their histories are not full", full)
	}
	if len(docs[notebooks-1].StepsOf(origin.Author{Client: "a"}).List(t.Context())) < calls/2 {
		t.Errorf("of the last notebook %d steps are kept", len(docs[notebooks-1].StepsOf(origin.Author{Client: "a"}).List(t.Context())))
	}
	for _, d := range docs {
		d.current().calls.Stop() // it uses the history
	}
	both := heap.Bytes()
	for _, d := range docs {
		lv := d.current()
		d.mu.Lock()
		lv.history.Stop()
		lv.history = nil
		d.mu.Unlock()
	}
	rest := heap.Bytes()
	for _, d := range docs {
		lv := d.current()
		lv.steps.Forget("a") // makes the replica release the deleted content
		lv.end()
	}
	histories, steps := both-rest, rest-heap.Bytes()
	t.Logf("the steps take %d bytes, and the histories of %d notebooks %d", steps, notebooks, histories)
	if took := steps + times*histories; took > most {
		t.Errorf("the histories of %d notebooks take %d bytes, at most %d are wanted", times*notebooks, took, most)
	}
	runtime.KeepAlive(docs)
}
