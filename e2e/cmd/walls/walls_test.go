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

func TestLimits(t *testing.T) {
	lim, err := parseLimits([]byte("# Comment\n\nsession/... 12\nsession 18 # its own\nsession/run/... 9\ntools 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"session":            18,
		"session/run":        9,
		"session/run/queue":  9,
		"session/runner":     12,
		"session/kernel/zmq": 12,
		"sessions":           0,
		"tools":              7,
		"tools/serve":        0,
	} {
		if have, _ := lim.of(path); have.Max != want {
			t.Errorf("the limit of %s is %d (%s), want %d", path, have.Max, have.Pattern, want)
		}
	}
	for _, wrong := range []string{"session", "session many", "session 0", "session 1 2", "session 1\nsession 2"} {
		if _, err := parseLimits([]byte(wrong)); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		limits string
		args   []string
		over   bool
		out    string
	}{
		{limits: "circle 3\nmethods 1\napart 1\n"},
		{
			limits: "circle 2\nmethods 1\napart 1\n", over: true,
			out: "circle: 3 files all need each other, the limit of circle is 2: a.go b.go c.go (to see why: walls -edges circle)\n",
		},
		{limits: "circle 3\nmethods 1\n", over: true, out: "apart: no limit; give it one\n"},
		{
			limits: "circle 3\nmethods 1\napart 1\ngone/... 1\n", over: true,
			out: "gone/...: a limit for no package; take it away\n",
		},
		{limits: "circle 2\napart 1\n", args: []string{"apart"}},
		{
			limits: "circle 3\nmethods 1\napart 1\n", args: []string{"-v"},
			out: "package  files  knot  limit\napart    2      1     1\ncircle   5      3     3\nmethods  5      1     1\n",
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
		if errors.Is(err, errOver) != c.over || (err != nil && !c.over) {
			t.Errorf("%q %v: %v", c.limits, c.args, err)
		}
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
	if len(graphs) != 1 || graphs[0].Path != path {
		t.Fatalf("%s loads as %v", path, graphs)
	}
	return graphs[0]
}
