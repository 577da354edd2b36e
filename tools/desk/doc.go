// Package desk holds the state that tools share: the notebooks that each client has opened, the images of its answers,
// and the addresses that name them. The tools of all packages use one [Desk].
//
// State is kept per client, within bounds, until [Desk.Forget].
//
// # Concurrency
//
// A Desk is safe for concurrent use. The package starts no goroutine.
package desk
