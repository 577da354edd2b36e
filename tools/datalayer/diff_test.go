package datalayer

import "testing"

// lineDiff writes the same differences as Python's difflib.
func TestLineDiff(t *testing.T) {
	for _, c := range [][3]string{
		{"a", "a", ""},
		{"", "a", "--- \n+++ \n@@ -0,0 +1 @@\n+a"},
		{"a", "", "--- \n+++ \n@@ -1 +0,0 @@\n-a"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nX\n6\n7\n8\n9\n", "--- \n+++ \n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8"},
		{"a", "a\n", "@@ line terminators changed @@\n-\"a\"\n+\"a\\n\""},
	} {
		if got := lineDiff(c[0], c[1]); got != c[2] {
			t.Errorf("%q → %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
