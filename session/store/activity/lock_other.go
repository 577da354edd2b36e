//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package activity

import (
	"io"
	"os"
	"strconv"
)

// take does nothing: the file has the process id, which held checks with the system.
func take(*os.File) error { return nil }

// held reports whether the process whose id is in the file exists.
func held(f *os.File) bool {
	b, err := io.ReadAll(io.LimitReader(f, 20))
	if err != nil {
		return true
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		return true // its process is about to write it
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // it is not our child
	return true
}
