//go:build unix

package up

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// own gives the program a process group, so that a Ctrl-C in the terminal reaches only this process, and that kill also ends
// the processes that the program has started.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// quit asks the program to end.
func quit(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }

// kill ends the program and its group.
func kill(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
