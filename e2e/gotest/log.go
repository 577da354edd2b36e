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

// Name is a test of a package. Where Test is empty, it is the package itself: its build, its TestMain.
type Name struct{ Package, Test string }

// String returns the name as `go test` takes it apart: the package below the module, and the test.
func (n Name) String() string {
	if n.Test == "" {
		return n.Package
	}
	return n.Package + " " + n.Test
}

// Sub reports whether the name is that of a test within another.
func (n Name) Sub() bool { return strings.Contains(n.Test, "/") }

// Failure is one failing run of a test.
type Failure struct {
	Name
	// Seed is what `go test -shuffle` takes for the same order again; empty where the tests were not shuffled.
	Seed string
	// Output is what the test printed; of a package, also the reports of the race detector.
	Output string
}

// Took is a run of a test and its time.
type Took struct {
	Name
	Time time.Duration
}

// Log is what happened until now.
type Log struct {
	// Runs counts the runs that have ended, of each test; of a test that runs again and again it counts each.
	Runs map[Name]int
	// Failures are the runs that failed, in their order. A package fails itself only where none of its tests did.
	Failures []Failure
	// Skipped counts the runs that were skipped.
	Skipped int

	took    []Took
	begun   map[Name]time.Time
	output  map[Name]*strings.Builder
	seed    map[string]string
	unlucky map[string]bool // packages of which a test has failed
	races   map[string]*races
}

// races are the reports of the race detector in a package's output. One that comes between two tests fails neither, and `go
// test` puts it among the output of the one before.
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

// NewLog returns a log of nothing.
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

// Read adds the lines of one run of `go test -json`. A last line that is cut off is one that is still being written. Lines
// that are not events are what a build printed.
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

// shuffled begins the line with which a test binary says its seed.
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

// Alone are the failures of packages of which no test failed. The summary of gotestsum leaves out the race behind them.
func (l *Log) Alone() []Failure {
	return slices.DeleteFunc(slices.Clone(l.Failures), func(f Failure) bool { return f.Test != "" })
}

// Tests counts the tests that have ended, those within others not counted.
func (l *Log) Tests() int {
	n := 0
	for name := range l.Runs {
		if !name.Sub() {
			n++
		}
	}
	return n
}

// Slowest returns the n longest runs, the longest first; those within others are not counted.
func (l *Log) Slowest(n int) []Took {
	all := slices.DeleteFunc(slices.Clone(l.took), func(t Took) bool { return t.Sub() })
	slices.SortStableFunc(all, func(a, b Took) int { return cmp.Compare(b.Time, a.Time) })
	return all[:min(n, len(all))]
}

// Running returns the tests that have begun and not ended, with how long ago that was; packages only where none of their
// tests runs, and tests only where none within them does. The longest is the first.
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
