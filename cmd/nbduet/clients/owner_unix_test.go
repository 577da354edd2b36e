//go:build unix

package clients_test

import (
	"os"
	"syscall"
	"testing"
)

func TestModeAndOwner(t *testing.T) {
	m := machine(t)
	file := fileOf(t, m, "cursor")
	put(t, file, "{}", 0o664)
	mine := os.Getuid() != 0
	if !mine {
		must(t, os.Chown(file, 1234, 2345))
	}
	run(t, m, writing, "cursor")
	for _, f := range []string{file, file + ".nbduet-backup"} {
		info, err := os.Stat(f)
		must(t, err)
		owner, ok := info.Sys().(*syscall.Stat_t)
		if info.Mode().Perm() != 0o664 || ok && !mine && (owner.Uid != 1234 || owner.Gid != 2345) {
			t.Errorf("%s has %v, %+v", f, info.Mode(), owner)
		}
	}
}
