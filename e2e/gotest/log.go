package gotest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Name is a test of a package. If Test is empty, it is the package itself: its build, its TestMain.
type Name struct{ Package, Test string }

// String returns the package below the module, and the test.
func (n Name) String() string {
	if n.Test == "" {
		return n.Package
	}
	return n.Package + " " + n.Test
}

// Sub reports whether the name is a subtest's.
func (n Name) Sub() bool { return strings.Contains(n.Test, "/") }

// Failure is one failing run of a test.
type Failure struct {
	Name
	// Seed is the value of `go test -shuffle` that repeats the order; empty if the tests were not shuffled.
	Seed string
	// Output is the test's output; for a package, it includes the reports of the race detector.
	Output string
}

// Took is a run of a test and its duration.
type Took struct {
	Name
	Time time.Duration
}

// Log has the results so far.
type Log struct {
	// Runs counts the finished runs of each test, including repeated runs.
	Runs map[Name]int
	// Failures are the failed runs, in order. A package itself counts as failed only if none of its tests failed.
	Failures []Failure
	// Skipped counts the runs that were skipped.
	Skipped int

	took    []Took
	begun   map[Name]time.Time
	output  map[Name]*strings.Builder
	seed    map[string]string
	unlucky map[string]bool // packages with a failed test
	races   map[string]*races
}

// races are the reports of the race detector in a package's output. A race between two tests fails neither, and `go
// test` puts it into the output of the first.
type races struct {
	strings.Builder
	within bool
}

const (
	raceBegins = "WARNING: DATA RACE"
	raceEnds   = "=================="
)

func (r *races) add(line string) {
	r.within = r.within || strings.Contains(line, raceBegins)
	if r.within {
		r.WriteString(line)
	}
	r.within = r.within && !strings.Contains(line, raceEnds)
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{
		Runs: map[Name]int{}, begun: map[Name]time.Time{}, output: map[Name]*strings.Builder{},
		seed: map[string]string{}, unlucky: map[string]bool{}, races: map[string]*races{},
	}
}

// event is a line of `go test -json`, see `go doc cmd/test2json`.
type event struct {
	Time                                      time.Time
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// Read adds the lines of one run of `go test -json`. A truncated last line is still being written. Lines that are not
// events are build output.
func (l *Log) Read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the events of go test: %w", err)
		}
		var e event
		if json.Unmarshal(line, &e) == nil {
			l.add(e)
		}
	}
}

// shuffled begins the line with a test binary's seed.
const shuffled = "-test.shuffle "

func (l *Log) add(e event) {
	n := Name{cmp.Or(e.Package, e.ImportPath), e.Test}
	switch e.Action {
	case "start", "run":
		l.begun[n] = e.Time
	case "output", "build-output":
		if seed, ok := strings.CutPrefix(e.Output, shuffled); ok && n.Test == "" {
			l.seed[n.Package] = strings.TrimSpace(seed)
		}
		b := l.output[n]
		if b == nil {
			b = &strings.Builder{}
			l.output[n] = b
		}
		b.WriteString(e.Output)
		r := l.races[n.Package]
		if r == nil {
			r = &races{}
			l.races[n.Package] = r
		}
		r.add(e.Output)
	case "pass", "fail", "skip", "build-fail":
		l.end(n, e)
	}
}

func (l *Log) end(n Name, e event) {
	if n.Test != "" {
		l.Runs[n]++
		l.took = append(l.took, Took{n, time.Duration(e.Elapsed * float64(time.Second))})
		if e.Action == "skip" {
			l.Skipped++
		}
	}
	if failed := e.Action == "fail" || e.Action == "build-fail"; failed && (n.Test != "" || !l.unlucky[n.Package]) {
		text := ""
		if b := l.output[n]; b != nil {
			text = b.String()
		}
		if r := l.races[n.Package]; r != nil && n.Test == "" {
			text = r.String() + text
		}
		l.unlucky[n.Package] = true
		l.Failures = append(l.Failures, Failure{n, l.seed[n.Package], text})
	}
	delete(l.begun, n)
	delete(l.output, n)
}

// Alone returns the failures of packages without a failed test. The summary of gotestsum leaves out their data races.
func (l *Log) Alone() []Failure {
	return slices.DeleteFunc(slices.Clone(l.Failures), func(f Failure) bool { return f.Test != "" })
}

// Tests counts the finished tests, without subtests.
func (l *Log) Tests() int {
	n := 0
	for name := range l.Runs {
		if !name.Sub() {
			n++
		}
	}
	return n
}

// Slowest returns the n longest runs, the longest first, without subtests.
func (l *Log) Slowest(n int) []Took {
	all := slices.DeleteFunc(slices.Clone(l.took), func(t Took) bool { return t.Sub() })
	slices.SortStableFunc(all, func(a, b Took) int { return cmp.Compare(b.Time, a.Time) })
	return all[:min(n, len(all))]
}

// Running returns the tests that have begun and not ended, and for how long they have run, the longest first. It leaves
// out a package or test if a test within it is running.
func (l *Log) Running(now time.Time) []Took {
	var all []Took
	for n, at := range l.begun {
		inner := false
		for other := range l.begun {
			inner = inner || other.Package == n.Package && other != n && (n.Test == "" || strings.HasPrefix(other.Test, n.Test+"/"))
		}
		if !inner {
			all = append(all, Took{n, now.Sub(at)})
		}
	}
	slices.SortFunc(all, func(a, b Took) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.String(), b.String()))
	})
	return all
}
