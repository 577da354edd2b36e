//go:build unix

package lab

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a process group of its own, so that a Ctrl-C
// at the terminal reaches only us and the whole group can be stopped.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(pid int) error { return signalGroup(pid, syscall.SIGTERM) }

func killGroup(pid int) error { return signalGroup(pid, syscall.SIGKILL) }

func signalGroup(pid int, sig syscall.Signal) error {
	err := syscall.Kill(-pid, sig)
	if errors.Is(err, syscall.ESRCH) { // it ended by itself meanwhile
		return nil
	}
	return err
}
