package gotest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// The output of go test for a package with a test that fails the second time and one that still runs, and for a package
// that does not compile.
const printed = `{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"m/a"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"m/a","Output":"-test.shuffle 17\n"}
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"m/a","Test":"TestOne"}
{"Time":"2026-01-01T00:00:01Z","Action":"pass","Package":"m/a","Test":"TestOne","Elapsed":1}
{"Time":"2026-01-01T00:00:01Z","Action":"run","Package":"m/a","Test":"TestOne"}
{"Time":"2026-01-01T00:00:01Z","Action":"output","Package":"m/a","Test":"TestOne","Output":"    one_test.go:3: no\n"}
{"Time":"2026-01-01T00:00:03Z","Action":"fail","Package":"m/a","Test":"TestOne","Elapsed":2}
{"Time":"2026-01-01T00:00:03Z","Action":"run","Package":"m/a","Test":"TestTwo"}
{"Time":"2026-01-01T00:00:03Z","Action":"run","Package":"m/a","Test":"TestTwo/inner"}
# a compiler's words
{"ImportPath":"m/b","Action":"build-output","Output":"b.go:1: broken\n"}
{"ImportPath":"m/b","Action":"build-fail"}
{"Action":"output","Package":"m/c","Test":"TestPasses","Output":"WARNING: DATA RACE\n"}
{"Action":"output","Package":"m/c","Test":"TestPasses","Output":"==================\n"}
{"Action":"output","Package":"m/c","Test":"TestPasses","Output":"of no race\n"}
{"Action":"output","Package":"m/c","Output":"FAIL\n"}
{"Action":"fail","Package":"m/c"}
{"Time":"2026-01-01T00:00:04Z","Action":"pass","Package":"m/a","Te`

func read(t *testing.T) *Log {
	t.Helper()
	l := NewLog()
	if err := l.Read(strings.NewReader(printed)); err != nil {
		t.Fatal(err)
	}
	return l
}

// A failure has the seed and the output of its own run; a package that does not build is a failure too, and so is one
// with a race that fails no test.
func TestFailures(t *testing.T) {
	want := []Failure{
		{Name{"m/a", "TestOne"}, "17", "    one_test.go:3: no\n"},
		{Name{"m/b", ""}, "", "b.go:1: broken\n"},
		{Name{"m/c", ""}, "", "WARNING: DATA RACE\n==================\nFAIL\n"},
	}
	if got := read(t).Failures; !slices.Equal(got, want) {
		t.Errorf("failures: %+v, want %+v", got, want)
	}
}

// Each run of a test counts.
func TestRuns(t *testing.T) {
	l := read(t)
	if got := l.Runs[Name{"m/a", "TestOne"}]; got != 2 {
		t.Errorf("TestOne ended %d times, want 2", got)
	}
	if got := l.Tests(); got != 1 {
		t.Errorf("%d tests have ended, want 1", got)
	}
	got := l.Slowest(10)
	must.SliceLen(t, 2, got, must.Sprint("slowest"))
	test.Eq(t, 2*time.Second, got[0].Time, test.Sprint("slowest"))
}

// Running names the innermost test that has not ended.
func TestRunning(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 13, 0, time.UTC)
	want := []Took{{Name{"m/a", "TestTwo/inner"}, 10 * time.Second}}
	if got := read(t).Running(now); !slices.Equal(got, want) {
		t.Errorf("running: %v, want %v", got, want)
	}
}
