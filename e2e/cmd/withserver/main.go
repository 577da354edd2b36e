// Command withserver starts one Jupyter server, runs a command that finds it in
// its environment, and stops the server again:
//
//	withserver go test ./...
//
// The command sees NBDUET_TEST_SERVER_URL, NBDUET_TEST_SERVER_TOKEN and
// NBDUET_TEST_SERVER_ROOT (the server's folder on disk). The exit code is the
// command's; if it is not 0, the server's log is kept in .cache, named after
// the process.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/nbduet/nbduet/e2e/lab"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withserver:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(command []string) (code int, err error) {
	if len(command) == 0 {
		return 2, errors.New("name a command to run")
	}
	// A Ctrl-C reaches the command too; the server is stopped after the command's end.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The rooms' history is not in a file: of the dozens of rooms that the tests open, one that is dropped while it writes leaves the
	// database locked (pycrdt-store 0.1), and the server then hangs for five seconds at each edit in another.
	server, err := lab.Start(ctx, lab.Options{Args: []string{"--SQLiteYStore.db_path=:memory:"}})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()

	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(
		os.Environ(),
		"NBDUET_TEST_SERVER_URL="+server.URL,
		"NBDUET_TEST_SERVER_TOKEN="+server.Token,
		"NBDUET_TEST_SERVER_ROOT="+server.Root,
	)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), keepLog(server)
	}
	return 0, err
}

// keepLog copies the server's log to .cache for a later diagnosis.
func keepLog(server *lab.Lab) error {
	root, err := lab.RepoRoot()
	if err != nil {
		return err
	}
	b, err := os.ReadFile(server.LogFile)
	if err != nil {
		return err
	}
	path := filepath.Join(root, ".cache", fmt.Sprintf("withserver-%d.log", os.Getpid()))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "withserver: the Jupyter server's log is in", path)
	return nil
}
