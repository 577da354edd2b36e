// Package memnet is a network in memory, for tests: listeners that are found by their name, and connections that hold
// what has been written until it is read, as TCP's do. Import it from tests only.
//
// Nothing in it waits for the system, so that a program that talks over it can be tested in a bubble of testing/synctest:
// who waits for a connection, for bytes or for room is durably blocked, and the bubble's clock goes on.
//
// # Concurrency
//
// A [Network], its listeners and its connections are safe for concurrent use. The package starts no goroutines; a deadline
// is a timer.
package memnet
