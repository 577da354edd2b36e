package crdt

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// TestDeepNestingIsCut nests thousands of maps. They must be kept, and read to a safe depth.
func TestDeepNestingIsCut(t *testing.T) {
	const depth = 20_000
	all := sheets(2)
	a, b := all[0], all[1]
	a.edit(t, func(x *Tx) {
		m := x.InsertType(a.list, 0, KindMap)
		for range depth {
			m = x.SetType(m, "k", KindMap)
		}
	})
	b.take(t, a.whole(t))
	b.content(t)
	levels := 0
	for m, _ := b.list.List()[0].(map[string]any); m != nil; levels++ {
		m, _ = m["k"].(map[string]any)
	}
	test.GreaterEq(t, 100, levels)
	test.LessEq(t, maxNesting+2, levels)
	err := b.Do("undo", func() error {
		b.Release(b.Revert((*Revert).Run, b.Record(func(x *Tx) { x.Remove(b.list, 0, 1) })))
		return nil
	})
	must.NoError(t, err)
	test.GreaterEq(t, depth, b.Bloat().Structs)
}
