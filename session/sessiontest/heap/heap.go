// Package heap measures the memory that values keep, for tests. It imports nothing of session, so that tests inside its
// packages can use it.
//
// # Concurrency
//
// A test calls it from its own goroutine.
package heap

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// env names the test that a process was started for.
const env = "NBDUET_ALONE"

// Alone runs a top-level test again in its own process, in which nothing else allocates, and reports whether this is that
// process. If it is not, the test must return: it has failed if the other process failed.
func Alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(env) == t.Name() {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
	return false
}

// Bytes returns the size of all reachable objects of the process. Only a test that runs [Alone] can compare two of its
// results.
func Bytes() int {
	runtime.GC()
	runtime.GC() // one run leaves the content of a sync.Pool
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
