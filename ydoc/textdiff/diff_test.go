package textdiff_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDiffIsSmall(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     []textdiff.Edit
	}{
		{"", "", nil},
		{"a", "a", nil},
		{"", "x = 1\n", []textdiff.Edit{{0, 0, "x = 1\n"}}},
		{"x = 1", "", []textdiff.Edit{{0, 5, ""}}},
		{"x = 1", "y = 1", []textdiff.Edit{{0, 1, "y"}}},
		{"x = 1", "x = 1  # note", []textdiff.Edit{{5, 0, "  # note"}}},
		{"colour", "color", []textdiff.Edit{{4, 1, ""}}},
		{"a = 😀", "a = 😁", []textdiff.Edit{{4, 2, "😁"}}},
		{"e", "e\u0301", []textdiff.Edit{{0, 1, "e\u0301"}}},
		{"👩‍💻", "👩‍🔬", []textdiff.Edit{{0, 5, "👩‍🔬"}}},
		{"🇩🇪", "🇩🇰", []textdiff.Edit{{0, 4, "🇩🇰"}}},
		{"f(1)\nf(3)\n", "f(1)\nf(2)\nf(3)\n", []textdiff.Edit{{5, 0, "f(2)\n"}}},
		{"a\nb", "a\nb\nc", []textdiff.Edit{{3, 0, "\nc"}}},
		{"a\nb\nc", "a\nb", []textdiff.Edit{{3, 2, ""}}},
		{"go far", "go" + " go far", []textdiff.Edit{{3, 0, "go "}}},
		{"one two three", "one 2 three 4", []textdiff.Edit{{4, 3, "2"}, {13, 0, " 4"}}},
		{"def f(a):\n    return a\n", "def g(a, b):\n    return a\n", []textdiff.Edit{{4, 1, "g"}, {7, 0, ", b"}}},
	} {
		got := textdiff.Diff(c.old, c.new)
		if !equalEdits(got, c.want) {
			t.Errorf("Diff(%q, %q) = %v, want %v", c.old, c.new, got, c.want)
		}
		if s := textdiff.Apply(c.old, got); s != c.new {
			t.Errorf("Apply(%q, %v) = %q, want %q", c.old, got, s, c.new)
		}
	}
}

func equalEdits(a, b []textdiff.Edit) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestVeryLongTextsAreComparedByLines: two changed words in one line are two edits, unless the line has too many
// words; two changed lines are two stretches, unless the text has too many lines. So the time is bounded by the
// length of the texts.
func TestVeryLongTextsAreComparedByLines(t *testing.T) {
	changed := func(piece string, count int) (old, new string) {
		old = "first " + strings.Repeat(piece, count) + "last\n"
		return old, "FIRST " + strings.Repeat(piece, count) + "LAST\n"
	}
	for _, c := range []struct {
		name, piece  string
		count, edits int
	}{
		{"a line of 2,000 words", "word ", 1_000, 2},
		{"a line of 60,000 words", "word ", 30_000, 1},
		{"40,000 lines", "line\n", 40_000, 2},
		{"210,000 lines", "line\n", 210_000, 1},
	} {
		old, new := changed(c.piece, c.count)
		es := textdiff.Diff(old, new)
		must.SliceLen(t, c.edits, es)
		test.Eq(t, new, textdiff.Apply(old, es))
		// The text beside the change stays untouched anyway.
		before, after := strings.Repeat("before\n", 1000), strings.Repeat("after\n", 1000)
		es = textdiff.Diff(before+old+after, before+new+after)
		must.SliceLen(t, c.edits, es)
		test.GreaterEq(t, len(before), es[0].Pos)
		test.LessEq(t, len(before)+len(old), es[len(es)-1].Pos+es[len(es)-1].Del)
	}
}
