package ydiff

import "testing"

// crowds are programs that failed once, each shrunk as far as possible.
var crowds = map[string]crowd{
	// The end of a cell that had been moved twice was cut, which removed half of a character that had been carried over
	// into it.
	"split while moved": {Wire: true, IDs: [4]uint64{1856, 507, 2794, 3216}, Steps: []deed{
		{Do: "move", P: 1, N: [3]int{0, 2}},
		{Do: "undo", P: 1},
		{Do: "up", P: agentPlace, N: [3]int{2}},
		{Do: "type", P: 2, N: [3]int{0, 9}, S: "\U00020002"},
		{Do: "down", P: 2, N: [3]int{2}},
		{Do: "up", P: 2, N: [3]int{1}},
		{Do: "redo", P: 1},
		{Do: "down", P: agentPlace, N: [3]int{1}},
		{Do: "split", P: 2, N: [3]int{0, 2}, ID: "p2-1"},
		{Do: "move", P: 0, N: [3]int{2, 0}},
	}},
}

func TestCrowdsThatFailedOnce(t *testing.T) {
	t.Parallel()
	node, err := startYjs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := node.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for name, c := range crowds {
		t.Run(name, func(t *testing.T) {
			if _, err := runCrowd(t.Context(), node, c); err != nil {
				t.Errorf("%v\n%v", err, c)
			}
		})
	}
}
