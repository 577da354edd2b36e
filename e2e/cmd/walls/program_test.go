package main

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestCodeLines(t *testing.T) {
	lines := codeLines([]byte("// Comment\npackage p\n\nvar s = `a\n\nb` // and more\n/* c\n */ func f() {\n}\n"))
	test.MapEq(t, map[int]bool{2: true, 4: true, 5: true, 6: true, 8: true, 9: true}, lines)
}

// A function that takes a package's own type first, or first behind a context, counts as a method of it.
func TestFunctionsAsMethods(t *testing.T) {
	g := measure(t, "functions")
	test.Eq(t, "Server", g.Widest)
	test.Eq(t, 3, g.Methods)
	test.Eq(t, "Long", g.LongestName)
	test.Eq(t, 5, g.Longest)
}

func TestProgramBounds(t *testing.T) {
	graphs := []graph{
		{Path: "session", Lines: 10},
		{Path: "session/kernel/run", Lines: 20, Longest: 7, LongestName: "start"},
		{Path: "session/a/b", Lines: 30},
		{Path: "session/sessiontest/heap", Lines: 40, Longest: 9, LongestName: "measure"},
	}
	for _, c := range []struct {
		most map[string]int
		out  string
	}{
		{map[string]int{boundBeside: 2, boundFunction: 9, boundLines: 60}, ""},
		{nil, ""},
		{map[string]int{boundBeside: 1}, "session: 2 packages and folders beside each other, the limit is 1: put those that belong together into a folder\n"},
		{map[string]int{boundFunction: 7}, "session/sessiontest/heap: measure has 9 lines of code, the limit is 7: give its steps names\n"},
		{map[string]int{boundLines: 59}, "the program has 60 lines of code, the limit is 59: take others out, or raise the limit in a commit that says why\n"},
	} {
		var out strings.Builder
		err := checkProgram(&out, graphs, c.most)
		test.Eq(t, c.out, out.String())
		if c.out == "" {
			test.NoError(t, err)
		} else {
			test.ErrorIs(t, err, errOver)
		}
	}
}

func TestProgramLimits(t *testing.T) {
	lim, err := parseLimits([]byte("all beside 12\nall lines 70000 # may only fall\nsession 1 2 3\n"))
	must.NoError(t, err)
	test.MapEq(t, map[string]int{boundBeside: 12, boundLines: 70000}, lim.program)
}
