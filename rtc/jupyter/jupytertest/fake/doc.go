// Package fake is a Jupyter server in Go, for tests: contents, file ids, sessions, kernels, kernelspecs, rooms and
// events, on a folder of the disk. It needs no Python, and it works in a bubble of testing/synctest, where its delays
// cost nothing. Import it from tests only; [github.com/nbduet/nbduet/rtc/jupyter/jupytertest] starts it.
//
// It imitates Jupyter Server 2.21 with jupyter-collaboration 5, as far as this program and its tests depend on it.
// The same tests run against both, and TestSameAnswers of jupytertest compares their answers. It lacks checkpoints,
// the trash (deleted files are gone), forks and timelines, and kernels other than one for a little Python (package
// cells) and one for less Bash. It checks for cross-site request forgery only with a password login.
//
// # Concurrency
//
// A [Server] is safe for concurrent use. Its rooms and kernels have goroutines, which [Server.Close] waits for; each
// HTTP request is answered in its own. No mutex is held during a wait, because a bubble's clock does not advance
// while a goroutine waits for a mutex.
package fake
