package main

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// Bounds of the program as a whole, which no package has by itself.
const (
	boundBeside   = "beside"   // packages that lie beside each other in a folder, those that only tests import aside
	boundFunction = "function" // lines of code of a function
	boundLines    = "lines"    // lines of code of all packages, those that only tests import aside
)

// checkProgram prints where the program is over a bound.
func checkProgram(out io.Writer, graphs []graph, most map[string]int) (failed error) {
	fails := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		failed = errOver
	}
	beside := folders(graphs)
	for _, folder := range slices.Sorted(maps.Keys(beside)) {
		if n := len(beside[folder]); exceeds(n, most, boundBeside) {
			fails("%s: %d packages and folders beside each other, the limit is %d: put those that belong together into a folder", folder, n, most[boundBeside])
		}
	}
	for _, g := range graphs {
		if exceeds(g.Longest, most, boundFunction) {
			fails("%s: %s has %d lines of code, the limit is %d: give its steps names", g.Path, g.LongestName, g.Longest, most[boundFunction])
		}
	}
	if n := programLines(graphs); exceeds(n, most, boundLines) {
		fails("the program has %d lines of code, the limit is %d: take others out, or raise the limit in a commit that says why", n, most[boundLines])
	}
	return failed
}

func exceeds(n int, most map[string]int, bound string) bool {
	limit, ok := most[bound]
	return ok && n > limit
}

// folders are what lies in each folder that has a package in or below it: packages, and folders of packages. Packages for
// tests are left out.
func folders(graphs []graph) map[string]map[string]bool {
	in := map[string]map[string]bool{}
	for _, g := range graphs {
		if forTests(g.Path) {
			continue
		}
		for at := g.Path; at != "."; at = path.Dir(at) {
			folder := path.Dir(at)
			if in[folder] == nil {
				in[folder] = map[string]bool{}
			}
			in[folder][at] = true
		}
	}
	return in
}

// programLines is how many lines of code the program has.
func programLines(graphs []graph) (n int) {
	for _, g := range graphs {
		if !forTests(g.Path) {
			n += g.Lines
		}
	}
	return n
}

// forTests reports whether a package is for tests alone, as its name or that of a folder above it says.
func forTests(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(name string) bool {
		return strings.HasSuffix(name, "test") || name == "fuzzkit"
	})
}
