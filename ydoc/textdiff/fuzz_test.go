package textdiff_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// FuzzTextdiff checks the properties of Diff and Merge on any three texts.
func FuzzTextdiff(f *testing.F) {
	f.Add("x = 1", "x = 1  # note", "y = 1")
	f.Add("a\nb\nc\n", "a\nc\n", "a\nb + 1\nc\n")
	f.Add("😀é", "e\u0301👩‍💻", "🇩🇪\r\n")
	f.Add("go far", "go"+" go far", "bar\xff")
	f.Fuzz(func(t *testing.T, base, theirs, mine string) {
		clean := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
		base, theirs, mine = clean(base), clean(theirs), clean(mine)
		checkEdits(t, base, theirs, textdiff.Diff(base, theirs))
		es, err := textdiff.Merge(base, theirs, mine)
		if err == nil {
			checkEdits(t, theirs, textdiff.Apply(theirs, es), es)
		}
		if _, mirrored := textdiff.Merge(base, mine, theirs); (err == nil) != (mirrored == nil) {
			t.Fatalf("%v, the other way round %v", err, mirrored)
		}
		if (textdiff.Unified("n", base, mine, 2) == "") != (base == mine) {
			t.Fatal("a unified diff of equal texts, or none of different ones")
		}
	})
}
