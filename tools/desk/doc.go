// Package desk is what one client has before it: the notebooks that it works in, the images of its answers, and the
// addresses that name them. The tools of all packages work over one [Desk].
//
// Everything that is kept is kept for a client, within bounds, and ends with [Desk.Forget].
//
// # Concurrency
//
// A Desk may be used by several goroutines at once. The package starts no goroutine.
package desk
