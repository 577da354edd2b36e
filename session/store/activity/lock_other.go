//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package activity

import (
	"io"
	"os"
	"strconv"
)

// take does nothing: the file has the number of the process, which the system is asked for.
func take(*os.File) error { return nil }

// held reports whether there is a process with the number that is in the file.
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
