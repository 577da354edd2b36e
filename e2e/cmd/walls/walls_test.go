package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// module is a small module of packages to measure.
const module = "testdata/module"

func TestArrowsBetweenFiles(t *testing.T) {
	for path, want := range map[string][]string{
		"circle": {
			"a.go -> b.go: B",
			"a.go -> bottom.go: bottom",
			"b.go -> c.go: C C.D",
			"c.go -> a.go: A",
			"top.go -> a.go: A",
			"top.go -> b.go: B",
		},
		// A method stands in the file that declares it, and no field makes an arrow.
		"methods": {
			"base_more.go -> base.go: base list",
			"open.go -> base.go: opener opener.Open",
			"outer.go -> base.go: base list",
			"use.go -> base_more.go: base.Grow list.Add",
			"use.go -> outer.go: Outer",
		},
		// b_test.go names what a.go declares, and is no file of the program.
		"apart": {"a.go -> b.go: B"},
	} {
		var have []string
		for _, a := range measure(t, path).Arrows {
			names := strings.Join(slices.Sorted(maps.Keys(a.Names)), " ")
			have = append(have, fmt.Sprintf("%s -> %s: %s", a.From, a.To, names))
		}
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("%s:\nhave %q\nwant %q", path, have, want)
		}
	}
}

func TestKnot(t *testing.T) {
	g := measure(t, "circle")
	if have := knot(g.Files, g.Arrows); !slices.Equal(have, []string{"a.go", "b.go", "c.go"}) {
		t.Errorf("the knot of a circle is %v", have)
	}
	for _, path := range []string{"methods", "apart"} {
		g := measure(t, path)
		if have := knot(g.Files, g.Arrows); len(have) != 1 {
			t.Errorf("%s has no circle, and a knot of %v", path, have)
		}
	}
}

// Of two circles the larger counts, also where an arrow leads from one to the other.
func TestKnotIsTheLargestCircle(t *testing.T) {
	var arrows []arrow
	for _, a := range []string{"ab", "ba", "bc", "cd", "de", "ec", "ef"} {
		arrows = append(arrows, arrow{From: a[:1], To: a[1:]})
	}
	if have := knot([]string{"a", "b", "c", "d", "e", "f"}, arrows); !slices.Equal(have, []string{"c", "d", "e"}) {
		t.Errorf("the knot is %v", have)
	}
}

func TestEdges(t *testing.T) {
	var out strings.Builder
	printEdges(&out, []graph{measure(t, "circle"), measure(t, "apart")})
	want := `circle: 3 of 5 files all need each other
	a.go -> b.go: B (1; 1 without it)
	c.go -> a.go: A (1; 1 without it)
	b.go -> c.go: C, C.D (2; 1 without it)
`
	if out.String() != want {
		t.Errorf("have\n%s\nwant\n%s", out.String(), want)
	}
}

// Methods of values and pointers count together, and only those that are declared on a type in a file of the program.
func TestMethods(t *testing.T) {
	for path, want := range map[string]string{"wide": "Wide 3", "methods": "Outer 1", "apart": " 0"} {
		g := measure(t, path)
		if have := fmt.Sprintf("%s %d", g.Widest, g.Methods); have != want {
			t.Errorf("the type of %s with the most methods is %q, want %q", path, have, want)
		}
	}
}

func TestLimits(t *testing.T) {
	lim, err := parseLimits([]byte("# Comment\n\nsession/... 12 30 20\nsession 18 71 54 # its own\nsession/run/... 9 0 8\ntools 7 6 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][3]int{
		"session":            {18, 71, 54},
		"session/run":        {9, 0, 8},
		"session/run/queue":  {9, 0, 8},
		"session/runner":     {12, 30, 20},
		"session/kernel/zmq": {12, 30, 20},
		"sessions":           {},
		"tools":              {7, 6, 5},
		"tools/serve":        {},
	} {
		l, _ := lim.of(path)
		if have := [3]int{l.Knot, l.Methods, l.Files}; have != want {
			t.Errorf("the limits of %s are %v (%s), want %v", path, have, l.Pattern, want)
		}
	}
	for _, wrong := range []string{
		"session", "session 1", "session 1 2", "session 1 2 many", "session 0 1 1", "session 1 -1 1", "session 1 1 0",
		"session 1 2 3 4", "session 1 1 1\nsession 2 2 2", "all", "all lines", "all lines 0", "all lines many", "all methods 3",
	} {
		if _, err := parseLimits([]byte(wrong)); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
}

func TestRun(t *testing.T) {
	// What the packages of the module have reached.
	const apart, circle, methods, wide = "apart 1 0 2\n", "circle 3 1 5\n", "functions 1 3 1\nmethods 1 1 5\n", "wide 1 3 2\n"
	for _, c := range []struct {
		limits string
		args   []string
		over   bool
		out    string
	}{
		{limits: circle + methods + apart + wide},
		{
			limits: "circle 2 1 5\n" + methods + apart + wide, over: true,
			out: "circle: 3 files all need each other, the limit of circle is 2: a.go b.go c.go (to see why: walls -edges circle)\n",
		},
		{
			limits: circle + methods + apart + "wide/... 1 2 2\n", over: true,
			out: "wide: Wide has 3 methods and functions that take it first, the limit of wide/... is 2: give those that work on the same few fields a type of their own\n",
		},
		{
			limits: circle + methods + "apart 1 0 1\n" + wide, over: true,
			out: "apart: 2 files, the limit of apart is 1: move those that do one job into a package of their own\n",
		},
		{
			limits: "circle 2 1 4\n" + methods + apart + "wide 1 2 1\n", over: true,
			out: "circle: 3 files all need each other, the limit of circle is 2: a.go b.go c.go (to see why: walls -edges circle)\n" +
				"circle: 5 files, the limit of circle is 4: move those that do one job into a package of their own\n" +
				"wide: Wide has 3 methods and functions that take it first, the limit of wide is 2: give those that work on the same few fields a type of their own\n" +
				"wide: 2 files, the limit of wide is 1: move those that do one job into a package of their own\n",
		},
		{limits: circle + methods + wide, over: true, out: "apart: no limit; give it one\n"},
		{
			limits: circle + methods + apart + wide + "gone/... 1 1 1\n", over: true,
			out: "gone/...: a limit for no package; take it away\n",
		},
		{limits: "circle 2 0 1\n" + apart, args: []string{"apart"}},
		{
			limits: circle + methods + apart + "wide 2 9 8\n", args: []string{"-v"},
			out: "package    knot    methods  files   widest type\n" +
				"apart      1 of 1  0 of 0   2 of 2  -\n" +
				"circle     3 of 3  1 of 1   5 of 5  C\n" +
				"functions  1 of 1  3 of 3   1 of 1  Server\n" +
				"methods    1 of 1  1 of 1   5 of 5  Outer\n" +
				"wide       1 of 2  3 of 9   2 of 8  Wide\n",
		},
	} {
		file := filepath.Join(t.TempDir(), "limits.txt")
		if err := os.WriteFile(file, []byte(c.limits), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Chdir(module)
		var out strings.Builder
		err := run(append([]string{"-limits", file}, c.args...), &out)
		t.Chdir("../..")
		test.Eq(t, c.over, errors.Is(err, errOver))
		test.False(t, err != nil && !c.over)
		if out.String() != c.out {
			t.Errorf("%q %v prints\n%s\nwant\n%s", c.limits, c.args, out.String(), c.out)
		}
	}
}

// measure loads one package of the module.
func measure(t *testing.T, path string) graph {
	t.Helper()
	graphs, err := load(module, "./"+path)
	if err != nil {
		t.Fatal(err)
	}
	must.SliceLen(t, 1, graphs)
	must.Eq(t, path, graphs[0].Path)
	return graphs[0]
}
