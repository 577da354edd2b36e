package crdt

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/shoenig/test"
)

// TestPositionsStickToASide: with a negative association a position belongs to the character before it, as in Yjs
// (RelativePosition.js), and a position without a character is the beginning instead of the end.
func TestPositionsStickToASide(t *testing.T) {
	s := newSheet(Options{ClientID: 1})
	var text *Type
	s.edit(t, func(x *Tx) {
		text = x.SetType(s.meta, "text", KindText)
		x.InsertText(text, 0, "abc")
	})
	b := text.Start.ID.Clock + 1
	for _, c := range []struct {
		position string
		before   int
		after    int // after text was inserted on both sides of b
	}{
		{fmt.Sprintf(`{"item":{"client":1,"clock":%d},"assoc":0}`, b), 1, 3},
		{fmt.Sprintf(`{"item":{"client":1,"clock":%d},"assoc":-1}`, b), 2, 4},
		{fmt.Sprintf(`{"type":{"client":1,"clock":%d},"assoc":0}`, text.Item.ID.Clock), 3, 7},
		{fmt.Sprintf(`{"type":{"client":1,"clock":%d},"assoc":-1}`, text.Item.ID.Clock), 0, 0},
	} {
		at := func(want int) {
			t.Helper()
			s.Read("resolve", func() {
				in, off, ok := s.Resolve(json.RawMessage(c.position))
				test.EqOp(t, text, in, test.Sprint(c.position))
				test.Eq(t, want, off, test.Sprint(c.position))
				test.True(t, ok, test.Sprint(c.position))
			})
		}
		at(c.before)
		s.edit(t, func(x *Tx) { x.InsertText(text, 2, "--"); x.InsertText(text, 1, "--") })
		at(c.after)
		s.edit(t, func(x *Tx) { x.RemoveText(text, 4, 2); x.RemoveText(text, 1, 2) })
	}
}
