// Package deps has the state that all tools share: the manager and its services, and the state of each client, which is its
// opened notebooks, the images of its answers, and how far it has read long texts.
//
// It imports the other three packages that serve all tools (target, render, waiting) and session; the tools import it.
//
// Start from [Deps]; [Work] is the part of it that all clients share. State is kept per client, within bounds, until
// [Deps.Forget].
//
// # Concurrency
//
// A Deps is safe for concurrent use. The package starts no goroutine.
package deps
