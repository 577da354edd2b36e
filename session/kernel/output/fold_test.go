package output

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/kernel"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain\ntext", "plain\ntext"},
		{"one\rtwo", "two"},
		{"three\rtwo", "twoee"},
		{"a\r\nb", "a\nb"},
		{"a\r\r\nb", "a\nb"},
		{"bar 10%\rbar 20%\rbar 30%", "bar 30%"},
		{"wait\r", "wait"},
		{"wait\r\n", "wait\n"},
		{"ab\bc", "ac"},
		{"\b\bx", "x"},
		{"abcd\rx\b", "cd"},
		{"abc\rxyz\b", "xy"},
		{"one\n\btwo", "one\ntwo"},
		{"é😀\rü", "ü😀"},
		{"line 1\nab\rc\nline 3", "line 1\ncb\nline 3"},
	} {
		if got := fold(c.in); got != c.want {
			t.Errorf("fold(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// A stream in pieces folds to the same text as in one.
func TestStreamInPieces(t *testing.T) {
	whole := "start\n" + strings.Repeat("bar 10%\rbar 20%\r", 3) + "bar done\nend\b\b\bEND\n"
	for size := 1; size < len(whole); size++ {
		var o outputs
		for rest := whole; rest != ""; {
			n := min(size, len(rest))
			o.add(kernel.Stream{Name: "stdout", Text: rest[:n]})
			rest = rest[n:]
		}
		if got, want := o.list()[0]["text"], fold(whole); got != want {
			t.Fatalf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}
