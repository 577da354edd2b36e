package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
)

// inheritFlags are for a program that starts this one to serve HTTP for it, as the Jupyter Server extension does. The parent
// passes a listening socket, so that requests wait and no other program takes the port while this one restarts. It may name
// the user of a request. It also holds the other end of standard input, which closes when the parent dies.
type inheritFlags struct {
	ListenFD     int    `name:"listen-fd" env:"NBDUET_LISTEN_FD" placeholder:"N" help:"Number of an inherited descriptor of a listening socket, for HTTP, in place of --host and --port. For programs that start this one."`
	UserHeader   string `name:"user-header" env:"NBDUET_USER_HEADER" placeholder:"NAME" help:"Header in which a program with the token names the user of a request; each user is a separate principal. For programs that start this one, or proxy for it, and know their users."`
	EndWithStdin bool   `name:"end-with-stdin" env:"NBDUET_END_WITH_STDIN" help:"End when standard input ends, also over HTTP, so that it does not outlive its parent program."`
}

// check returns an error for values that are not possible on the system goos.
func (f inheritFlags) check(goos string) error {
	if f.ListenFD != 0 && goos == "windows" {
		return errors.New("--listen-fd: Windows cannot inherit a listening socket: give an address with --host and --port")
	}
	if f.ListenFD < 0 || f.ListenFD == 1 || f.ListenFD == 2 {
		return fmt.Errorf("--listen-fd: %d cannot be inherited: give 3 or more", f.ListenFD)
	}
	return nil
}

// listen returns the inherited socket. Without one, it listens at address.
func (f inheritFlags) listen(ctx context.Context, address string) (net.Listener, error) {
	if f.ListenFD == 0 {
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen at %s: %w; give another address with --host and --port", address, err)
		}
		return l, nil
	}
	file := os.NewFile(uintptr(f.ListenFD), "listen-fd")
	if file == nil {
		return nil, fmt.Errorf("--listen-fd: %d is not a descriptor", f.ListenFD)
	}
	l, err := net.FileListener(file) // makes a copy
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("--listen-fd: listen at the descriptor %d: %w", f.ListenFD, err)
	}
	return l, nil
}

// untilEnd returns a context that ends with stdin. The pending read ends with stdin or the program.
func untilEnd(ctx context.Context, stdin io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, stdin) // an error also means the end
	}()
	return ctx, cancel
}
