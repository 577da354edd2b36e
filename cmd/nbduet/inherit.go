package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
)

// inheritFlags are for a program that starts this one to serve HTTP for it, as the extension of Jupyter Server does. It
// hands down a socket that listens, which nobody else can take while this program is started again, and on which
// requests wait meanwhile; it may say whom requests are from; and it holds the other end of standard input for as long as it lives itself, however it dies.
type inheritFlags struct {
	ListenFD     int    `name:"listen-fd" env:"NBDUET_LISTEN_FD" placeholder:"N" help:"Number of an inherited descriptor to listen at for HTTP, in place of --host and --port: a socket that listens. For programs that start this one."`
	UserHeader   string `name:"user-header" env:"NBDUET_USER_HEADER" placeholder:"NAME" help:"Header in which whoever has the token says whom a request is from; each of them is a client of their own. For programs that start this one, or stand before it, and know people themselves."`
	EndWithStdin bool   `name:"end-with-stdin" env:"NBDUET_END_WITH_STDIN" help:"End when standard input does, over HTTP, too. For programs that start this one and are not to be outlived."`
}

func (f inheritFlags) check() error {
	if f.ListenFD < 0 || f.ListenFD == 1 || f.ListenFD == 2 {
		return fmt.Errorf("--listen-fd: %d is no descriptor that can be handed down", f.ListenFD)
	}
	return nil
}

// listen gives the socket that was handed down; without one, it listens at address.
func (f inheritFlags) listen(ctx context.Context, address string) (net.Listener, error) {
	if f.ListenFD == 0 {
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen at %s: %w; --host and --port name another place", address, err)
		}
		return l, nil
	}
	file := os.NewFile(uintptr(f.ListenFD), "listen-fd")
	if file == nil {
		return nil, fmt.Errorf("--listen-fd: %d is no descriptor", f.ListenFD)
	}
	l, err := net.FileListener(file) // of a copy
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("--listen-fd: listen at the descriptor %d: %w", f.ListenFD, err)
	}
	return l, nil
}

// untilEnd gives a context that ends when stdin does. The read that waits for that ends with stdin or the program.
func untilEnd(ctx context.Context, stdin io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, stdin) // an error is an end, too
	}()
	return ctx, cancel
}
