package main

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/e2e/cmd/demo/task"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
)

// checkFile waits until the autosave has written the whole script's work to the notebook's file, and returns an error
// that names the missing parts.
func checkFile(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return poll.Until(ctx, "the work to be in the file "+file, func(context.Context) error {
		cells, err := nbfile.Read(file)
		if err != nil {
			return err
		}
		return task.Check(cells)
	})
}
