package quickack

import (
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/shoenig/test/must"
)

// Linux leaves the quick mode when a connection sends between reads; after each read it is on again.
func TestQuickAckAfterRead(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	echoed := make(chan struct{})
	go func() {
		defer close(echoed)
		c, err := ln.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(c, c)
		c.Close()
	}()
	defer func() {
		ln.Close()
		<-echoed
	}()
	conn, err := Dial(t.Context(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	q, ok := conn.(*ackConn)
	if !ok {
		t.Fatalf("a %T", conn)
	}
	if got := option(t, q.TCPConn, syscall.TCP_NODELAY); got != 1 {
		t.Error("TCP_NODELAY is off")
	}
	buf := make([]byte, 1)
	off := 0
	for range 50 {
		if _, err := conn.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		if option(t, q.TCPConn, syscall.TCP_QUICKACK) == 0 {
			off++
		}
		if _, err := io.ReadFull(conn, buf); err != nil {
			t.Fatal(err)
		}
		if option(t, q.TCPConn, syscall.TCP_QUICKACK) == 0 {
			t.Fatal("TCP_QUICKACK is off after a read")
		}
	}
	if off == 0 {
		t.Log("the system has not left the quick mode by itself")
	}
}

func option(t *testing.T, c *net.TCPConn, name int) int {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var v int
	var optErr error
	err = raw.Control(func(fd uintptr) { v, optErr = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, name) })
	must.NoError(t, err)
	must.NoError(t, optErr)
	return v
}
