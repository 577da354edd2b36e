package activity

import (
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// take locks a file until it is closed. It locks a byte past any possible content, because other processes cannot read
// locked bytes.
func take(f *os.File) error {
	at := windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}

// held reports whether a process has locked the file.
func held(f *os.File) bool { return take(f) != nil }
