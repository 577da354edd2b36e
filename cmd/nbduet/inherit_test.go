//go:build unix

package main

import (
	"context"
	"io"
	"net"
	"strconv"
	"syscall"
	"testing"

	"github.com/shoenig/test"
)

// A parent process passes a socket and holds the program's standard input: the program ends when its input does.
func TestServesAnInheritedSocket(t *testing.T) {
	clean(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for range 2 { // the socket outlives each process that serves it
		fd, err := syscall.Dup(int(file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("NBDUET_AUTH_TOKEN", "given-t0ken")
		stdin, hold := io.Pipe()
		log, code := &locked{}, make(chan int, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			code <- runWith(ctx, []string{
				"--jupyter-url=http://127.0.0.1:9", "--transport=streamable-http", "--end-with-stdin", "--listen-fd=" + strconv.Itoa(fd),
			}, stdin, &locked{}, log, found())
		}()
		// The request waits on the socket until the program accepts it.
		if got := status(t, "http://"+l.Addr().String()+"/tools/list", "given-t0ken"); got != 200 {
			t.Errorf("status %d", got)
		}
		select {
		case c := <-code:
			t.Fatalf("it ends before its input, with exit code %d: %s", c, log.String())
		default:
		}
		hold.Close()
		c := <-code
		test.Eq(t, exitOK, c)
		test.StrContains(t, log.String(), "serving MCP at http://"+l.Addr().String()+"/mcp")
	}
}

func TestWrongInheritedSocket(t *testing.T) {
	clean(t)
	for _, fd := range []string{"2", "-3", "64000"} {
		o := start(t, found(), "--jupyter-url=http://127.0.0.1:9", "--transport=sse", "--listen-fd="+fd)
		test.Eq(t, exitUsage, o.code)
		test.StrContains(t, o.stderr, "--listen-fd")
		test.StrContains(t, o.stderr, fd)
	}
}
