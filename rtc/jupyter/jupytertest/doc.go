// Package jupytertest starts a real Jupyter server for tests. Import it from tests only.
//
// [Shared] gives all tests of a binary one server: the one that NBDUET_TEST_SERVER_URL, NBDUET_TEST_SERVER_TOKEN and
// NBDUET_TEST_SERVER_ROOT name, so that many packages can use one, else one that it starts at the first call. [Start]
// gives a test its own server, to stop, to kill or to run with other flags. Tests that share a server must use
// unique file names ([Server.Name]): a path used again finds the former kernel session, and its room is still in
// memory.
//
// A TestMain stops the shared server:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(jupytertest.Exit)) }
//
// Servers listen on the loopback interface, on a free port, with a random token, their root, home, configuration and
// working folder in a temporary one. The program started is $NBDUET_JUPYTER, or .venv/bin/jupyter at the top of the
// repository; a test for which it is missing fails. No goroutine is left behind between calls.
package jupytertest
