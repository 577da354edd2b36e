// Package waitbudget bounds how long one call waits for a Jupyter server that does not answer.
//
// A call has a [Budget] in its context. All requests of the call share that budget, so that the call waits once and
// not anew for each answer. Once a wait has timed out, the server is known to be away, and later calls only check
// whether it is back.
//
// # Concurrency
//
// Everything is safe for concurrent use. A wait has one extra goroutine, which ends with the wait.
package waitbudget
