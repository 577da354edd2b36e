//go:build unix

package lab

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts the process into its own process group, so that a Ctrl-C at the terminal does not reach it and the whole
// group can be stopped.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(pid int) error { return signalGroup(pid, syscall.SIGTERM) }

func killGroup(pid int) error { return signalGroup(pid, syscall.SIGKILL) }

func signalGroup(pid int, sig syscall.Signal) error {
	err := syscall.Kill(-pid, sig)
	if errors.Is(err, syscall.ESRCH) { // it has ended by itself
		return nil
	}
	return err
}
