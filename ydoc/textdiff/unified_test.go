package textdiff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

func TestUnified(t *testing.T) {
	for _, c := range []struct {
		old, new string
		context  int
		want     string
	}{
		{"a\n", "a\n", 3, ""},
		{"", "a\n", 3, "--- n\n+++ n\n@@ -0,0 +1 @@\n+a\n"},
		{"a\n", "", 3, "--- n\n+++ n\n@@ -1 +0,0 @@\n-a\n"},
		{"1\n2\n3\n4\n5\n", "1\n2\nx\n4\n5\n", 1, "--- n\n+++ n\n@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n"},
		{"1\n2\n3\n4\n5\n6\n7\n", "0\n1\n2\n3\n4\n5\n6\nx\n", 1, "--- n\n+++ n\n@@ -1 +1,2 @@\n+0\n 1\n@@ -6,2 +7,2 @@\n 6\n-7\n+x\n"},
		{"1\n2\n3\n", "x\n2\ny\n", 1, "--- n\n+++ n\n@@ -1,3 +1,3 @@\n-1\n+x\n 2\n-3\n+y\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n3\n5\n6\n7\nx\n", 1, "--- n\n+++ n\n@@ -1,5 +1,3 @@\n 1\n-2\n 3\n-4\n 5\n@@ -7,2 +5,2 @@\n 7\n-8\n+x\n"},
		{"a", "b", 0, "--- n\n+++ n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"},
	} {
		if got := textdiff.Unified("n", c.old, c.new, c.context); got != c.want {
			t.Errorf("Unified(%q, %q):\n%s\nwant\n%s", c.old, c.new, got, c.want)
		}
	}
}

// TestUnifiedCanBeApplied applies random diffs with another program's parser.
func TestUnifiedCanBeApplied(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2_000 {
		old, new := randomLines(r), randomLines(r)
		d := textdiff.Unified("n", old, new, 0)
		if got, err := udiff.ApplyUnified(strings.ReplaceAll(d, ",0 +", " +"), old); err != nil || got != new {
			if strings.Contains(d, ",0 ") { // that parser does not support insertions without context
				continue
			}
			t.Fatalf("from %q by\n%s\ncame %q (%v), want %q", old, d, got, err, new)
		}
	}
}

func randomLines(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(12) {
		fmt.Fprintf(&b, "line %d\n", r.IntN(8))
	}
	return b.String()
}
