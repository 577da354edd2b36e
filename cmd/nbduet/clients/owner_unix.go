//go:build unix

package clients

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another. Under sudo, a person's file stays theirs.
func keepOwner(f *os.File, like fs.FileInfo) error {
	other, ok := like.Sys().(*syscall.Stat_t)
	own, err := f.Stat()
	if err != nil || !ok {
		return err
	}
	if s, ok := own.Sys().(*syscall.Stat_t); ok && s.Uid == other.Uid && s.Gid == other.Gid {
		return nil
	}
	return f.Chown(int(other.Uid), int(other.Gid))
}

// othersRead reports whether users other than the owner can read a file.
func othersRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
