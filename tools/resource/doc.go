// Package resource makes resources of what a client works with: its open notebooks in several forms, the images of its
// answers, files, the templates, and what is known of the project and of earlier work. It lists and completes their
// addresses, tells subscribers of changes, and has the prompts.
//
// # Concurrency
//
// A [Provider] may be used by several goroutines at once. One goroutine, started through session.Manager.Go, which waits
// for its end, tells clients of changes; the map of feeds has one lock, which is never held across a call to Jupyter.
package resource
