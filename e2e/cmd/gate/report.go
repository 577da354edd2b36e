package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/e2e/gotest"
)

// slowest is the number of tests that the table names.
const slowest = 10

// table prints how long each target took, and the slowest tests.
func (g *gate) table() {
	w := g.out
	fmt.Fprint(w, "\nwhat took how long\n")
	var slow []gotest.Took
	var alone []gotest.Failure
	for _, s := range g.begunSteps() {
		word := "ok"
		switch {
		case !s.over():
			word = "not ended"
		case s.err != nil:
			word = "FAILED: " + s.err.Error()
		}
		if s.aside {
			word += ", beside the others"
		}
		if l, err := s.tests(); err != nil {
			word += ", " + err.Error()
		} else if n := l.Tests(); n > 0 {
			word += fmt.Sprintf(", %d tests", n)
			if l.Skipped > 0 {
				word += fmt.Sprintf(" (%d runs skipped)", l.Skipped)
			}
			slow = append(slow, l.Slowest(slowest)...)
			alone = append(alone, l.Alone()...)
		}
		fmt.Fprintf(w, "  %-16s %8s  %s\n", s.name, short(s.took), word)
	}
	fmt.Fprintf(w, "  %-16s %8s\n", "in all", short(time.Since(g.begun)))
	for _, f := range alone {
		fmt.Fprintf(w, "\n%s failed, and no test of it\n%s", f.Name, f.Output)
	}
	if len(slow) == 0 {
		return
	}
	slices.SortStableFunc(slow, func(a, b gotest.Took) int { return cmp.Compare(b.Time, a.Time) })
	fmt.Fprint(w, "\nthe slowest tests\n")
	for _, t := range slow[:min(slowest, len(slow))] {
		fmt.Fprintf(w, "  %8s  %s\n", t.Time.Round(100*time.Millisecond), t)
	}
}

// broken prints the steps, tests and processes that were still running when everything was ended.
func (g *gate) broken(why error) {
	w := g.out
	fmt.Fprintf(w, "\ngate: ended after %s: %v. What was still running:\n", short(time.Since(g.begun)), why)
	for _, s := range g.begunSteps() {
		if s.over() {
			continue
		}
		fmt.Fprintf(w, "  target   %s, for %s\n", s.name, short(time.Since(s.begun)))
		l, err := s.tests()
		if err != nil {
			fmt.Fprintf(w, "           %v\n", err)
			continue
		}
		for _, t := range l.Running(time.Now()) {
			fmt.Fprintf(w, "  test     %s, for %s\n", t, short(t.Time))
		}
	}
	for _, p := range descendants() {
		fmt.Fprintf(w, "  process  %s\n", p)
	}
}

func short(d time.Duration) string { return d.Round(time.Second).String() }
