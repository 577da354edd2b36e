// Package resource makes MCP resources of a client's open notebooks in several forms, the images of its answers, files, the
// templates, and the record of the project and of earlier work. It lists the resources, completes their addresses, and
// notifies subscribers of changes. It also has the prompts.
//
// # Concurrency
//
// A [Provider] may be used by several goroutines at once. One goroutine notifies clients of changes; session.Manager.Go
// starts it, and the manager waits for its end. One lock guards the map of feeds; it is never held during a call to Jupyter.
package resource
