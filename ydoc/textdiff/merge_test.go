package textdiff_test

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, base, theirs, mine, want string }{
		{"typing a note while a name changes", "x = 1", "x = 1  # note", "y = 1", "y = 1  # note"},
		{"a note right after a changed value", "x = 1", "x = 1  # note", "x = 5", "x = 5  # note"},
		{"different lines", "a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n", "a\nB\nC\n"},
		{"both append a line", "a\n", "a\nb\n", "a\nc\n", "a\nb\nc\n"},
		{"both append a line to one without end", "a", "a\nb", "a\nc", "a\nb\nc"},
		{"the same change", "a b", "a c", "a c", "a c"},
		{"the same change and another", "a b\nc", "x b\nc", "x b\nd", "x b\nd"},
		{"both append lines", "a\n", "a\nb\nc\n", "a\nd\n", "a\nb\nc\nd\n"},
		{"both add a line between", "a\nz\n", "a\nb\nz\n", "a\nc\nz\n", "a\nb\nc\nz\n"},
		{"both add a line at the top", "a", "b\na", "c\na", "b\nc\na"},
		{"the same insertion in a word", "x = 1", "xy = 1", "xy = 1", "xy = 1"},
		{"they delete a line, I change another", "a\nb\nc\n", "a\nc\n", "a\nb\nd\n", "a\nd\n"},
		{"astral characters before", "😀 = 1\n", "😀😀 = 1\n", "😀 = 2\n", "😀😀 = 2\n"},
	} {
		es, err := textdiff.Merge(c.base, c.theirs, c.mine)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := textdiff.Apply(c.theirs, es); got != c.want {
			t.Errorf("%s: merged %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMergeConflicts(t *testing.T) {
	for _, c := range []struct{ name, base, theirs, mine string }{
		{"both change the value", "x = 1", "x = 2", "x = 3"},
		{"typing on at the end of a changed number", "x = 1", "x = 12", "x = 5"},
		{"both type on in one name", "x = 1", "xz = 1", "xy = 1"},
		{"both insert inside a word", "foobar", "foo-bar", "foo_bar"},
		{"both begin a name anew", "x = 1", "zx = 1", "yx = 1"},
		{"both append to a line", "x = 1", "x = 1  # note", "x = 1 + 2"},
		{"both give an argument", "f()", "f(a)", "f(b)"},
		{"both append a line without its end", "a\n", "a\nb", "a\nc"},
		{"both fill an empty cell", "", "# theirs", "x = 1\n"},
		{"typing in a line that I delete", "a\nb\nc\n", "a\nbb\nc\n", "a\nc\n"},
		{"typing in text that I replace", "one two three", "one twXo three", "four"},
		{"I write into text that they deleted", "a\nb\nc\n", "a\nc\n", "a\nb + 1\nc\n"},
	} {
		es, err := textdiff.Merge(c.base, c.theirs, c.mine)
		var conflict *textdiff.Conflict
		if !errors.As(err, &conflict) || es != nil {
			t.Errorf("%s: Merge gave %v, %v; a conflict expected", c.name, es, err)
			continue
		}
		must.SliceNotEmpty(t, conflict.Spans, must.Sprint(c.name))
		test.NotEq(t, "", conflict.TheirDiff, test.Sprint(c.name))
		test.NotEq(t, "", conflict.MyDiff, test.Sprint(c.name))
		test.NotEq(t, "", conflict.Error(), test.Sprint(c.name))
	}
}
