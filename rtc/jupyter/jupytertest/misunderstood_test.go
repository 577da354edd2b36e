package jupytertest

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// witness is a test that records its errors.
type witness struct {
	testing.TB
	errors  []any
	cleanup func()
}

func (w *witness) Error(says ...any) { w.errors = append(w.errors, says...) }
func (w *witness) Cleanup(f func())  { w.cleanup = f }

// A cell that the fake does not support fails the running test, or, after or without one, the binary.
func TestNotUnderstood(t *testing.T) {
	var m misunderstandings
	w := &witness{TB: t}
	tell := m.teller(w)
	tell("class A: pass", "class")
	want := "package cells does not understand \"class\" in the cell\nclass A: pass\nWrite it otherwise, or see the doc.go of that package."
	test.SliceEqOp(t, []any{want}, w.errors)
	test.False(t, m.fail())
	w.cleanup()
	tell("late", "late")
	m.teller(nil)("shared", "shared")
	must.SliceLen(t, 1, w.errors)
	must.SliceLen(t, 2, m.stray)
	test.True(t, m.fail())
}
