// Command withserver starts one Jupyter server, runs a command that finds it in
// its environment, and stops the server again:
//
//	withserver go test ./...
//
// The command sees NBDUET_TEST_SERVER_URL, NBDUET_TEST_SERVER_TOKEN and
// NBDUET_TEST_SERVER_ROOT (the folder on disk that the server shows). The exit
// code is the command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
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
	// A Ctrl-C reaches the command too; the server is stopped after its end.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := lab.Start(ctx, lab.Options{})
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
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
