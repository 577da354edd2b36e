package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Code that prints to os.Stdout by mistake, here or in a library, must not write between MCP messages.
	stdout := os.Stdout
	os.Stdout = os.Stderr
	// SIGPIPE from a client that has disconnected must not kill the program before it has left the rooms.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(runProgram(ctx, os.Args[1:], os.Stdin, stdout, os.Stderr))
}
