package textdiff_test

import (
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

func ExampleDiff() {
	for _, edit := range textdiff.Diff("x = load(a)\nplot(x)", "x = load(b)\nplot(x)\nshow()") {
		fmt.Printf("at %d delete %d, insert %q\n", edit.Pos, edit.Del, edit.Ins)
	}
	// Output:
	// at 9 delete 1, insert "b"
	// at 19 delete 0, insert "\nshow()"
}

// An agent read a text, and a person typed before it wrote.
func ExampleMerge() {
	const (
		base   = "x = load(a)\nplot(x)"
		theirs = "# Counts\nx = load(a)\nplot(x)"
	)
	edits, err := textdiff.Merge(base, theirs, "x = load(b)\nplot(x)")
	fmt.Printf("%q %v\n", textdiff.Apply(theirs, edits), err)

	// Both changed the same word: nothing is merged.
	_, err = textdiff.Merge(base, "x = load(c)\nplot(x)", "x = load(b)\nplot(x)")
	var conflict *textdiff.Conflict
	if errors.As(err, &conflict) {
		fmt.Printf("%+v\n", conflict.Spans)
	}
	// Output:
	// "# Counts\nx = load(b)\nplot(x)" <nil>
	// [{Pos:9 Len:1 Base:a Theirs:c Mine:b}]
}
