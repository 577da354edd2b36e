package up

import (
	"context"
	"os/exec"
	"time"
)

// letGo is how long the children of a program may hold its output open after its end.
const letGo = 5 * time.Second

// command returns a program that ends with the context, together with the processes that it has started.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	own(cmd)
	cmd.Cancel = func() error { return kill(cmd) }
	cmd.WaitDelay = letGo
	return cmd
}
