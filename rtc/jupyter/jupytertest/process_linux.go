package jupytertest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// dieWithParent makes the system end the server if the test binary ends without stopping it.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// exited reports whether a child process has ended and waits to be collected.
func exited(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	// The state is the first field after the name, which is in brackets.
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && bytes.HasPrefix(bytes.TrimSpace(stat[i+1:]), []byte("Z"))
}
