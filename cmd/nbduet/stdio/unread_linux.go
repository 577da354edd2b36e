package stdio

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// unreadBytes is how many of the bytes written to a pipe or a socket have not been read yet; 0 if that is not known.
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
	_ = raw.Control(func(fd uintptr) { // a closed one has none
		if n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ); err != nil || n == 0 { // a pipe has it at both its ends
			n, _ = unix.IoctlGetInt(int(fd), unix.TIOCOUTQ)
		}
	})
	return n
}
