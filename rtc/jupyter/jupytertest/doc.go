// Package jupytertest gives tests a Jupyter server: a fake in Go, or a real one. Import it from tests only.
//
// Without anything said, tests meet a fake ([github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake]), and need neither
// Python nor a network. The same tests meet a real server where the environment wants that: NBDUET_TEST_SERVER_URL,
// NBDUET_TEST_SERVER_TOKEN and NBDUET_TEST_SERVER_ROOT name one that many packages can use, and NBDUET_TEST_SERVER=real
// starts them. `make test-all` does the former.
//
// # Contract
//
// These tests hold the fake against the real server, and show both answers side by side where they differ. What the real one
// does is written down beside them, so that they need none; `make test-contract` asks one, and -update writes it down anew.
//
//	what the fake does                                          held by
//	contents, files' ids, sessions, kernels over REST           TestSameAnswers
//	events                                                      TestSameEvents
//	kernels: channels, two clients, interrupt, restart, death   TestSameKernels
//	what cells put out, input                                   fake/kernels TestLikeTheRealOne
//	rooms: joining, sync, presence, saves and their refusal,    fake/rooms TestLikeTheRealServer
//	deletion, rename, changes on disk, unknown sessions
//
//	func TestJoin(t *testing.T) {
//		jupytertest.Test(t, func(t *testing.T) {
//			s := jupytertest.Shared(t)
//			…
//
// [Test] runs a test in a bubble of testing/synctest where the server is a fake: there, time is nothing but a number, and
// who waits a minute for a room to be evicted waits for nothing. [Bubble] does so in any case, for faults that a fake has
// by their names (see [Server.Fake]). Outside a bubble a fake listens on the loopback interface.
//
// [Shared] gives all tests of a binary one server; in a bubble it is that test's alone. [Start] gives a test its own, to
// stop, to kill or to run with other flags. Tests must use unique file names ([Server.Name]), since a real server is
// shared: a path used again finds the former kernel session, and its room is still in memory.
//
// A TestMain stops the shared server:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }
//
// The fake's kernels run cells as package cells understands them. A cell that needs more of Python fails its test, with the
// word; it is written otherwise, or the test says [NeedsReal].
//
// Real servers listen on the loopback interface, on a free port, with a random token, their root, home, configuration and
// working folder in a temporary one. The program started is $NBDUET_JUPYTER, or .venv/bin/jupyter at the top of the
// repository; a test for which it is missing fails. No goroutine is left behind between calls.
package jupytertest
