package stdio

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// unreadBytes returns how many bytes written to a pipe or a socket have not been read yet, or 0 if that is unknown.
func unreadBytes(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = raw.Control(func(fd uintptr) { // fails if it is closed
		if n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ); err != nil || n == 0 { // a pipe has it at both ends
			n, _ = unix.IoctlGetInt(int(fd), unix.TIOCOUTQ)
		}
	})
	return n
}
