package textdiff

import "testing"

// The effect of a write on a change that its author may not have seen.
func TestMeet(t *testing.T) {
	for _, c := range []struct {
		name, base, theirs, mine string
		keeps, apart             bool
	}{
		{"goes on behind it", "x = 1", "x = 1\ny = 2", "x = 1\ny = 2\nz = 3", true, false},
		{"goes on within a line", "plot(x)", "plot(x, 'r')", "plot(x, 'r', lw=2)", true, false},
		{"elsewhere, knowing it", "a\nb\nc\nd", "a\nb\nc\nD", "A\nb\nc\nD", true, false},
		{"elsewhere, not knowing it", "a\nb\nc\nd", "a\nb\nc\nD", "A\nb\nc\nd", false, true},
		{"undoes it", "x = 1", "x = 1\ny = 2", "x = 10", false, false},
		{"undoes it, further off", "a\nx = 1\nb", "a\nx = 1\nb\ny = 2", "A\nx = 1\nb", false, true},
		{"changes it", "x = 1", "x = 1\ny = 2", "x = 1\ny = 3", false, false},
		{"brings back what was deleted", "a\nbad\nc", "a\nc", "a\nbad\nc\nd", false, true},
		{"leaves it deleted", "a\nbad\nc", "a\nc", "a\nc\nd", true, false},
		{"nothing of mine", "x", "y", "y", true, false},
		{"all new", "x = 1", "x = 1  # why?", "import os", false, false},
	} {
		if got := Keeps(c.base, c.theirs, c.mine); got != c.keeps {
			t.Errorf("%s: keeps %v", c.name, got)
		}
		if got := Apart(c.base, c.theirs, c.mine); got != c.apart {
			t.Errorf("%s: apart %v", c.name, got)
		}
	}
}
