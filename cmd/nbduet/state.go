package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/nbduet/nbduet/session/activity"
)

// stateFile is the default file of activity, in the user's state directory, as the XDG Base Directory specification has
// it.
func stateFile() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification wants relative ones ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the state directory: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "nbduet", "activity.db"), nil
}

// openActivity opens the record of activity. A file that was named must be usable; if the default one is not, the
// record lasts as long as the program.
func openActivity(ctx context.Context, named string, log *slog.Logger) (*activity.Store, error) {
	if named != "" {
		s, err := activity.Open(ctx, activity.Options{Path: named, Logger: log})
		if err != nil {
			return nil, usageError{fmt.Errorf("--state: %w", err)}
		}
		return s, nil
	}
	path, err := stateFile()
	if err == nil {
		var s *activity.Store
		if s, err = activity.Open(ctx, activity.Options{Path: path, Logger: log}); err == nil {
			return s, nil
		}
	}
	log.Warn("activity is kept until this program ends: to keep it, give a file with --state", "error", err)
	return activity.Open(ctx, activity.Options{Path: activity.Memory, Logger: log})
}
