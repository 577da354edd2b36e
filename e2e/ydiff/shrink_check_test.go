package ydiff

import (
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// TestShrink shrinks programs of all kinds with an artificial fault: they fail if an edit of the text "😀" comes before
// the end of a connection.
func TestShrink(t *testing.T) {
	fails := func(p program) bool {
		wrote := false
		for _, s := range p.Steps {
			wrote = wrote || slices.ContainsFunc(s.Ops, func(o op) bool { return o.S == "😀" })
			if wrote && (s.Do == "cut" || s.Do == "leave") {
				return true
			}
		}
		return false
	}
	for seed := range uint64(40) {
		p := newProgram(seed)
		p.Steps = slices.Insert(p.Steps, len(p.Steps)/3, step{Do: "edit", P: 1, Ops: []op{{Op: "source", S: "x"}, {Op: "source", N: [3]int{1, 2, 3}, S: "😀"}}})
		end := step{Do: "leave", P: 1}
		if p.Mesh {
			end = step{Do: "cut", P: 1, Q: 2}
		}
		p.Steps = append(p.Steps, end)
		before := p.String()
		small := shrink(p, 400, fails)
		if p.String() != before {
			t.Fatal("the program that was given has changed")
		}
		test.True(t, fails(small))
		must.SliceLen(t, 2, small.Steps)
		must.SliceLen(t, 1, small.Steps[0].Ops)
		test.EqOp(t, [3]int{}, small.Steps[0].Ops[0].N)
	}
}

func TestProgramsAreDrawnFromTheirSeed(t *testing.T) {
	for seed := range uint64(50) {
		if a, b := newProgram(seed).String(), newProgram(seed).String(); a != b {
			t.Fatalf("seed %d gives\n%s\nand\n%s", seed, a, b)
		}
	}
	if newProgram(1).String() == newProgram(2).String() {
		t.Error("two seeds give the same program")
	}
}
