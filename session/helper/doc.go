// Package helper is a kernel of the program's own, for work in which the users' kernels must have no part: it shows the
// beginning of a file of data.
//
// # Concurrency
//
// [Helper] is safe for use by any goroutine; its kernel has one user at a time. It owns one goroutine that puts the kernel
// away when it has been idle, and one for each kernel that is being shut down; [Helper.Close], which the session's
// manager calls before it closes itself, waits for them.
package helper
