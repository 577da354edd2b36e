// Package waitbudget bounds what one call waits for a Jupyter server that does not answer.
//
// A call has a [Budget] in its context. Whatever the call needs the server for waits on that budget, so that it waits
// once and not anew for each answer. Once a call has waited in vain, the server is known to be away, and those after it
// only ask it whether it is back.
//
// # Concurrency
//
// Everything is safe for concurrent use. A wait has one goroutine beside it, which ends with the wait.
package waitbudget
