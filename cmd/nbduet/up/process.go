package up

import (
	"context"
	"os/exec"
	"time"
)

// letGo is how long what a program has started may hold its output open after its end.
const letGo = 5 * time.Second

// command is a program that ends with the context, and all that it has started with it.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	own(cmd)
	cmd.Cancel = func() error { return kill(cmd) }
	cmd.WaitDelay = letGo
	return cmd
}
