package jupytertest

import (
	"os"
	"testing"
)

// Real reports whether the tests are to meet a real Jupyter server: the one that NBDUET_TEST_SERVER_URL names, or, where
// NBDUET_TEST_SERVER is "real", those that the tests start. Otherwise they meet fakes.
func Real() bool {
	return os.Getenv("NBDUET_TEST_SERVER_URL") != "" || os.Getenv("NBDUET_TEST_SERVER") == "real"
}

// AlwaysReal makes the tests of a binary meet real servers, whatever the environment says, for TestMain.
func AlwaysReal() {
	if err := os.Setenv("NBDUET_TEST_SERVER", "real"); err != nil {
		panic(err) // the name is one
	}
}

// NeedsReal skips a test that only a real Jupyter server can pass, and says what it needs of it.
func NeedsReal(t testing.TB, what string) {
	t.Helper()
	if !Real() {
		t.Skipf("this needs a real Jupyter server, for %s: run it with `make test-all`, or with NBDUET_TEST_SERVER=real after `make venv`", what)
	}
}

// atOnce are the places for the tests of a binary that run beside each other. A start of a kernel keeps a core busy, and a
// real server answers one request at a time: more of them would only make each other wait.
var atOnce = make(chan struct{}, 3)

// Beside is [Test] for a test that neither disturbs others nor minds them: on a real server it runs beside others of its
// kind, when those are done that need the machine to themselves. It uses notebooks and kernels of its own, and says nothing
// of how long anything takes, or much more than it does.
func Beside(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if Real() {
		t.Parallel()
		atOnce <- struct{}{}
		t.Cleanup(func() { <-atOnce }) // after all that f leaves to be done
	}
	Test(t, f)
}
