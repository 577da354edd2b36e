// Package fake is a Jupyter server in Go, for tests: contents, file ids, sessions, kernels, kernelspecs, rooms and events,
// on a folder of the disk. It needs no Python, and it works in a bubble of testing/synctest, where its delays cost
// nothing. Import it from tests only; [github.com/nbduet/nbduet/rtc/jupyter/jupytertest] makes servers of it.
//
// It does what Jupyter Server 2.21 with jupyter-collaboration 5 was seen to do, as far as this program and its tests can
// tell. The same tests run against both, and TestSameAnswers of jupytertest holds their answers side by side. What it
// does not have: a login page, cross-site request forgery, checkpoints, the trash (what is deleted is gone), forks and
// timelines, other kernels than one of a little Python (package cells) and one of less Bash.
//
// # Concurrency
//
// A [Server] is safe for concurrent use. Its rooms and kernels have goroutines, for whose end [Server.Close] waits; an
// answer over HTTP is written by its own. No mutex is held while anything is waited for, since a bubble's clock stands
// still for who waits for a mutex.
package fake
