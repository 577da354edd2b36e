// Package jupytertest gives tests a Jupyter server: a fake in Go, or a real one. Import it from tests only.
//
// By default, tests use a fake ([github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake]), and need neither Python nor a
// network. The same tests use a real server if the environment says so: NBDUET_TEST_SERVER_URL, NBDUET_TEST_SERVER_TOKEN
// and NBDUET_TEST_SERVER_ROOT name one that many packages can share, and NBDUET_TEST_SERVER=real starts new ones.
// `make test-all` does the former.
//
// # Contract
//
// These tests compare the fake with the real server, and show both answers side by side if they differ. The real server's
// answers are recorded in testdata, so that no real server is needed; `make test-contract` uses one, and -update records its
// answers again.
//
//	the fake's feature                                          checked by
//	contents, files' ids, sessions, kernels over REST           TestSameAnswers
//	events                                                      TestSameEvents
//	kernels: channels, two clients, interrupt, restart, death   TestSameKernels
//	outputs of cells, input                                     fake/kernels TestLikeTheRealOne
//	rooms: joining, sync, presence, saves and their refusal,    fake/rooms TestLikeTheRealServer
//	deletion, rename, changes on disk, unknown sessions
//
//	func TestJoin(t *testing.T) {
//		jupytertest.Test(t, func(t *testing.T) {
//			s := jupytertest.Shared(t)
//			…
//
// [Test] runs a test in a bubble of testing/synctest if the server is a fake: there, time is simulated, and a test that
// waits a minute for the eviction of a room takes no real time. [Bubble] does so in any case, for the named faults of a fake
// (see [Server.Fake]). Outside a bubble a fake listens on the loopback interface.
//
// [Shared] gives all tests of a binary one server; in a bubble each test has its own. [Start] gives a test its own server,
// to stop, to kill or to run with other flags. Tests must use unique file names ([Server.Name]), because a real server is
// shared: a reused path has the former kernel session, and its room is still in memory.
//
// A TestMain stops the shared server:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }
//
// The fake's kernels run the subset of Python in package cells. A cell that needs more fails its test, with the unsupported
// word; rewrite the cell, or call [NeedsReal].
//
// Real servers listen on the loopback interface, on a free port, with a random token. Their root, home, configuration and
// working folders are temporary. The program is $NBDUET_JUPYTER, or .venv/bin/jupyter at the top of the repository; a test
// fails if it is missing. No goroutine is left running between calls.
package jupytertest
