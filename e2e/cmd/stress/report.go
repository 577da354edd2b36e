package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/e2e/gotest"
)

// report prints each failed test, with its rate, its seeds and its first output.
func report(w io.Writer, l *gotest.Log) {
	var names []gotest.Name
	failures := map[gotest.Name][]gotest.Failure{}
	for _, f := range l.Failures {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
		failures[f.Name] = append(failures[f.Name], f)
	}
	runs := 0
	for n, r := range l.Runs {
		if !n.Sub() {
			runs += r
		}
	}
	fmt.Fprintf(w, "\n%d tests, %d runs, %d tests failed\n", l.Tests(), runs, len(names))
	for _, n := range names {
		list := failures[n]
		var seeds []string
		for _, f := range list {
			if f.Seed != "" && !slices.Contains(seeds, f.Seed) {
				seeds = append(seeds, f.Seed)
			}
		}
		rate := ""
		if r := l.Runs[n]; r > 0 {
			rate = fmt.Sprintf(" of %d", r)
		}
		fmt.Fprintf(w, "\nFAILED %d%s: %s, -shuffle=%s\n%s", len(list), rate, n, strings.Join(seeds, ","), list[0].Output)
	}
}

func lines(b []byte) []string { return strings.Fields(string(b)) }

// fileName returns a package's file name.
func fileName(pkg string) string { return strings.ReplaceAll(pkg, "/", "_") + ".json" }
