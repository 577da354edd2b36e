package rooms_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// crash kills a server, but not while it writes the notebook's file: it truncates the file first, and a server killed
// before the end of the write leaves a file that no other server can open. So it is stopped, and killed only if the file
// is then whole.
func crash(t *testing.T, s *jupytertest.Server, file string) {
	t.Helper()
	if err := poll.Until(t.Context(), "the server to write no file", func(ctx context.Context) error {
		if err := syscall.Kill(s.PID, syscall.SIGSTOP); err != nil {
			return err
		}
		err := poll.Until(ctx, "all of it to stand still", func(context.Context) error { return still(s.PID) })
		if err == nil {
			_, err = nbfile.Read(file)
		}
		if err == nil {
			return nil
		}
		return errors.Join(err, syscall.Kill(s.PID, syscall.SIGCONT))
	}); err != nil {
		t.Error(err)
	}
	s.Kill()
}

// still returns an error that names a thread of a process that is not stopped.
func still(pid int) error {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil {
		return err
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err != nil {
			return err // it has ended
		}
		// pid (name) state …
		if _, after, _ := bytes.Cut(stat, []byte(") ")); !bytes.HasPrefix(after, []byte("T")) {
			return fmt.Errorf("%s: %.80s", thread, stat)
		}
	}
	return nil
}
