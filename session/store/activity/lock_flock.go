//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package activity

import (
	"os"
	"syscall"
)

// take locks a file until it is closed.
func take(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// held reports whether a process has locked the file.
func held(f *os.File) bool { return take(f) != nil }
