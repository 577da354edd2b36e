//go:build unix

package clients_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestModeAndOwner(t *testing.T) {
	m := machine(t)
	file := fileOf(t, m, "cursor")
	put(t, file, "{}", 0o664)
	mine := os.Getuid() != 0
	if !mine {
		must.NoError(t, os.Chown(file, 1234, 2345))
	}
	run(t, m, writing, "cursor")
	for _, f := range []string{file, file + ".nbduet-backup"} {
		info, err := os.Stat(f)
		must.NoError(t, err)
		owner, ok := info.Sys().(*syscall.Stat_t)
		test.Eq(t, 0o664, info.Mode().Perm(), test.Sprint(f))
		test.False(t, ok && !mine && (owner.Uid != 1234 || owner.Gid != 2345), test.Sprint(f))
	}
}
