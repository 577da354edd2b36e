package jupytertest

import (
	"os"
	"testing"
)

// Real reports whether the tests run against a real Jupyter server: the one in NBDUET_TEST_SERVER_URL, or, if
// NBDUET_TEST_SERVER is "real", servers that the tests start. Otherwise they run against fakes.
func Real() bool {
	return os.Getenv("NBDUET_TEST_SERVER_URL") != "" || os.Getenv("NBDUET_TEST_SERVER") == "real"
}

// AlwaysReal makes the tests of a binary use real servers, whatever the environment says. Call it from TestMain.
func AlwaysReal() {
	if err := os.Setenv("NBDUET_TEST_SERVER", "real"); err != nil {
		panic(err) // the name is valid
	}
}

// NeedsReal skips a test that only a real Jupyter server can pass; what names the required feature.
func NeedsReal(t testing.TB, what string) {
	t.Helper()
	if !Real() {
		t.Skipf("this needs a real Jupyter server, for %s: run it with `make test-all`, or with NBDUET_TEST_SERVER=real after `make venv`", what)
	}
}

// atOnce limits the parallel tests of a binary. A kernel start keeps a core busy, and a real server answers one
// request at a time: more tests would only make each other wait.
var atOnce = make(chan struct{}, 3)

// Beside is [Test] for a test that can run in parallel: on a real server it runs beside others of its kind, after the
// tests that need the machine to themselves. It must use its own notebooks and kernels, and must not depend on how
// long anything takes, or only with a wide margin.
func Beside(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if Real() {
		t.Parallel()
		atOnce <- struct{}{}
		t.Cleanup(func() { <-atOnce }) // after all cleanups of f
	}
	Test(t, f)
}
