package main

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/e2e/cmd/demo/task"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
)

// checkFile waits for the autosave to have brought the whole script's work to
// the notebook's file, and says what is missing where it does not.
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
