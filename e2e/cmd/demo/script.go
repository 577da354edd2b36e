package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/cmd/demo/task"
)

// perform works through the script and shows each answer as it comes. It pauses before each step, so that a person can
// follow.
func perform(ctx context.Context, nbduet *agent.Agent, pause time.Duration) error {
	for i, s := range task.Steps(notebook) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		say("\n%d. %s: %s", i+1, s.Say, s.Tool)
		began := time.Now()
		answer, err := nbduet.Do(ctx, s.Tool, s.Args, nil)
		if err != nil {
			return err
		}
		if err := show(answer); err != nil {
			return fmt.Errorf("%s: %w", s.Tool, err)
		}
		say("   (%.1f s)", time.Since(began).Seconds())
	}
	say("")
	return nil
}
