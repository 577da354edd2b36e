package up

import (
	"os/exec"
	"strconv"
	"syscall"
)

// own gives the program a process group, so that a Ctrl-C in the console reaches only this process.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// quit is kill, because Windows cannot ask a program without a window to end.
func quit(cmd *exec.Cmd) error { return kill(cmd) }

// kill ends the program and the processes that it has started. The Python of an environment is a program that starts
// another.
func kill(cmd *exec.Cmd) error {
	err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	if err != nil {
		return cmd.Process.Kill()
	}
	return nil
}
