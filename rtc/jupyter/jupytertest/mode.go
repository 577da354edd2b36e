package jupytertest

import (
	"os"
	"testing"
)

// Real tells whether the tests are to meet a real Jupyter server: the one that NBDUET_TEST_SERVER_URL names, or, where
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
