package textdiff_test

import (
	"testing"

	"github.com/nbduet/nbduet/ydoc/textdiff"
	"go.uber.org/goleak"
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
