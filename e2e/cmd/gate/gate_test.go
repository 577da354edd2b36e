package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if err := adopt(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// makefile has a target that writes a test log, one that fails, and one that leaves its parents and stays.
const makefile = `
good:
	@echo good is run
	@printf '%s\n' '{"Action":"run","Package":"p","Test":"TestOne"}' '{"Action":"pass","Package":"p","Test":"TestOne","Elapsed":7}' >$(NBDUET_TEST_LOG)/1.json
bad:
	@echo bad is run; exit 3
beside:
	@echo beside is run
stays:
	@(setsid sleep 1000 & ) ; printf '%s\n' "{\"Time\":\"$$(date -u +%FT%TZ)\",\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"TestStays\"}" >$(NBDUET_TEST_LOG)/1.json; exec sleep 1000
orphan:
	@sh -c 'sleep 0.1 & echo $$! >pid'; while kill -0 $$(cat pid) 2>/dev/null; do sleep 0.02; done; echo the orphan is gone
leaves:
	@(setsid sleep 1000 >/dev/null 2>&1 & )
`

// opened runs a gate in a folder with that Makefile.
func opened(t *testing.T, g *gate, targets ...string) (code int, said string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("Makefile", []byte(makefile), 0o600); err != nil {
		t.Fatal(err)
	}
	out := &lockedBuffer{}
	g.out, g.logs, g.begun = out, t.TempDir(), time.Now()
	if g.limit == 0 {
		g.limit = time.Hour
	}
	code = g.run(t.Context(), targets)
	if left := descendants(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return code, out.String()
}

func has(t *testing.T, said string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%q is missing in\n%s", w, said)
		}
	}
}

// The table has each target and the slowest tests; a failing target does not stop the others.
func TestTable(t *testing.T) {
	code, said := opened(t, &gate{meanwhile: "beside"}, "bad", "beside", "good")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	has(t, said, "bad is run", "beside is run", "FAILED: exit status 2", "ok, beside the others", "ok, 1 tests", "7s  p TestOne", "in all")
}

// A warm run fails if it takes too long, the first run does not, and a failed run does not make the next one warm.
func TestWithin(t *testing.T) {
	stamp := filepath.Join(t.TempDir(), "stamp")
	for _, run := range []struct {
		target string
		within time.Duration
		code   int
	}{{"bad", time.Nanosecond, 1}, {"good", time.Nanosecond, 0}, {"good", time.Nanosecond, 1}, {"good", time.Hour, 0}} {
		code, said := opened(t, &gate{within: run.within, stamp: stamp}, run.target)
		test.Eq(t, run.code, code, test.Sprint(said))
		test.Eq(t, run.target == "good" && code == 1, strings.Contains(said, "and may take 1ns"), test.Sprint(said))
	}
}

// Targets that need a failed one are not run.
func TestNeeds(t *testing.T) {
	code, said := opened(t, &gate{meanwhile: "bad"}, "bad", "good")
	test.Eq(t, 1, code)
	test.StrNotContains(t, said, "good is run")
}

// At the limit everything is ended, and the list of what was still running is printed.
func TestLimit(t *testing.T) {
	code, said := opened(t, &gate{limit: time.Second}, "stays", "good")
	test.Eq(t, 1, code)
	test.StrNotContains(t, said, "good is run")
	has(t, said, "the time is over", "target   stays", "test     p TestStays", "sleep 1000", "FAILED")
}

// An orphaned process is gone once it has ended.
func TestOrphan(t *testing.T) {
	code, said := opened(t, &gate{limit: 30 * time.Second}, "orphan")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	has(t, said, "the orphan is gone")
}

// A target's leftover processes are ended.
func TestLeftBehind(t *testing.T) {
	code, said := opened(t, &gate{}, "leaves")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	has(t, said, "left behind, and ended: ", "sleep 1000")
}

// A stop from outside works like the limit.
func TestStopped(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile(filepath.Join(".", "Makefile"), []byte(makefile), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out := &lockedBuffer{}
	g := &gate{limit: time.Hour, out: out, logs: t.TempDir(), begun: time.Now()}
	ended := make(chan int)
	go func() { ended <- g.run(ctx, []string{"stays"}) }()
	for !strings.Contains(out.String(), "== stays") {
		time.Sleep(time.Millisecond)
	}
	stop()
	if code := <-ended; code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}
