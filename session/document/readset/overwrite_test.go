package readset

import (
	"testing"
)

// The longest run in order stays where it is.
func TestInOrder(t *testing.T) {
	for _, c := range []struct {
		match []int
		want  string
	}{
		{nil, ""},
		{[]int{0, 1, 2}, "ooo"},
		{[]int{1, 2, 0}, "oo-"},
		{[]int{3, -1, 0, 1, 2}, "--ooo"},
		{[]int{2, 1, 0}, "--o"},
		{[]int{-1, -1}, "--"},
	} {
		got := ""
		for _, stays := range inOrder(c.match) {
			got += map[bool]string{true: "o", false: "-"}[stays]
		}
		if got != c.want {
			t.Errorf("inOrder(%v) = %q, want %q", c.match, got, c.want)
		}
	}
}
