// Package filepreview has the program's own kernel, for work that must not touch the users' kernels: it previews data files.
//
// # Concurrency
//
// [Helper] is safe for concurrent use; its kernel has one user at a time. It owns one goroutine that shuts down an idle
// kernel, and one for each kernel that is being shut down. [Helper.Close], which the manager calls before it closes
// itself, waits for them.
package filepreview
