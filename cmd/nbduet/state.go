package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/nbduet/nbduet/session/activity"
)

// stateFile is the default file of activity on the system goos: in the folder of the XDG Base Directory specification, or,
// on Windows, in that for what stays on the machine. It has the system's separators.
func stateFile(goos string, env func(string) string, home func() (string, error)) (string, error) {
	const below = "nbduet/activity.db"
	dir := env("XDG_STATE_HOME")
	if !isAbs(goos, dir) { // the specification wants relative ones ignored
		if dir = env("LocalAppData"); goos == "windows" && isAbs(goos, dir) {
			return joined(goos, dir, below), nil
		}
		at, err := home()
		if err != nil {
			return "", fmt.Errorf("find the state directory: %w", err)
		}
		if !isAbs(goos, at) {
			return "", fmt.Errorf("find the state directory: the home directory %q is not an absolute path", at)
		}
		dir = at + "/.local/state"
		if goos == "windows" {
			dir = at + "/AppData/Local"
		}
	}
	return joined(goos, dir, below), nil
}

// isAbs is filepath.IsAbs on the system goos.
func isAbs(goos, path string) bool {
	if goos != "windows" {
		return strings.HasPrefix(path, "/")
	}
	path = strings.ReplaceAll(path, "/", `\`)
	return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1:3] == `:\`
}

// joined is filepath.Join on the system goos.
func joined(goos, dir, below string) string {
	if goos != "windows" {
		return path.Join(dir, below)
	}
	return strings.TrimRight(strings.ReplaceAll(dir, "/", `\`), `\`) + `\` + strings.ReplaceAll(below, "/", `\`)
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
	file, err := stateFile(runtime.GOOS, os.Getenv, os.UserHomeDir)
	if err == nil {
		var s *activity.Store
		if s, err = activity.Open(ctx, activity.Options{Path: file, Logger: log}); err == nil {
			return s, nil
		}
	}
	// In the message, since the path of the user's own state is no content of calls.
	log.Warn("nothing is remembered longer than until this program ends: to keep it, give a file with --state: " + err.Error())
	return activity.Open(ctx, activity.Options{Path: activity.Memory, Logger: log})
}
