package activity

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// A process that keeps runs holds a lock, which the system releases when the process ends in any way. So other processes
// can check at once whether it is alive, without waiting for missing heartbeats.
type lock struct{ file *os.File }

func lockName(dir, process string) string { return filepath.Join(dir, process+".lock") }

// hold makes and takes the lock of this process.
func hold(dir, process string) (*lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(lockName(dir, process), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	l := &lock{f}
	if _, err := f.WriteString(strconv.Itoa(os.Getpid())); err != nil {
		l.release()
		return nil, err
	}
	if err := take(f); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// release releases the lock. An error shows when the lock is checked.
func (l *lock) release() {
	err := os.Remove(l.file.Name())
	_ = l.file.Close()
	if err != nil { // Windows cannot remove an open file
		_ = os.Remove(l.file.Name())
	}
}

// alive reports whether a process holds its lock. It removes a lock that is not held.
func alive(dir, process string) bool {
	name := lockName(dir, process)
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	holds := held(f)
	_ = f.Close() // before it is removed, for Windows
	if !holds {
		_ = os.Remove(name)
	}
	return holds
}
