// Package memnet is a network in memory, for tests: listeners found by their address, and connections that buffer
// written data until it is read, as TCP does. Import it from tests only.
//
// It never waits for the system, so that a program that uses it can be tested in a bubble of testing/synctest: a
// goroutine that waits for a connection, for bytes or for room is durably blocked, and the bubble's clock advances.
//
// # Concurrency
//
// A [Network], its listeners and its connections are safe for concurrent use. The package starts no goroutines; a
// deadline is a timer.
package memnet
