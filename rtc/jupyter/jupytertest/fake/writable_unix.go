//go:build unix

package fake

import "golang.org/x/sys/unix"

// writable reports whether the server may write a file.
func writable(full string) bool { return unix.Access(full, unix.W_OK) == nil }
