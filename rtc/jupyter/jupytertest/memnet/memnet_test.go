package memnet_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/memnet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An HTTP server and its client work over it, in a bubble's time.
func TestHTTPInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n memnet.Network
		l, err := n.Listen("a.test:80")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Listen("a.test:80"); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("the same address again: %v", err)
		}
		s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			_, _ = io.Copy(w, r.Body)
		})}
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		c := &http.Client{Transport: &http.Transport{DialContext: n.Dial}}
		long := strings.Repeat("abc", 1<<20) // more than a connection buffers
		res, err := c.Post("http://a.test/", "text/plain", strings.NewReader(long))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		must.NoError(t, err, must.Sprint(len(b)))
		test.Eq(t, long, string(b), test.Sprint(len(b)))
		_ = res.Body.Close()
		c.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		time.Sleep(time.Minute) // the server lingers for half a second
		if _, err := n.Dial(t.Context(), "tcp", "a.test:80"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("nobody listens: %v", err)
		}
	})
}

// A deadline ends a wait, and a new deadline allows another one.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memnet.Pipe(memnet.Addr("a"), memnet.Addr("b"))
		begun := time.Now()
		_ = a.SetReadDeadline(begun.Add(time.Minute))
		_, err := a.Read(make([]byte, 1))
		test.ErrorIs(t, err, os.ErrDeadlineExceeded)
		test.Eq(t, time.Minute, time.Since(begun))
		var timeout net.Error
		_ = a.SetWriteDeadline(time.Now().Add(time.Minute))
		_, err = a.Write(make([]byte, 10<<20))
		must.True(t, errors.As(err, &timeout), must.Sprint("nobody reads"))
		test.True(t, timeout.Timeout(), test.Sprint("nobody reads"))
		_ = a.SetDeadline(time.Time{})
		go func() { _, _ = b.Write([]byte("x")) }()
		n, err := a.Read(make([]byte, 1))
		test.Eq(t, 1, n)
		test.NoError(t, err)
		_ = a.Close()
		_ = b.Close()
	})
}

// Data written before the end is read before it; a write to a closed end fails.
func TestEnd(t *testing.T) {
	a, b := memnet.Pipe(memnet.Addr("a"), memnet.Addr("b"))
	_, _ = a.Write([]byte("last words"))
	_ = a.Close()
	got, err := io.ReadAll(b)
	test.Eq(t, "last words", string(got))
	test.NoError(t, err)
	if _, err := b.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write: %v", err)
	}
	if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read of a closed one: %v", err)
	}
	_ = b.Close()
}

// Without lingering, written data is lost and the other end gets an error.
func TestReset(t *testing.T) {
	a, b := memnet.Pipe(memnet.Addr("a"), memnet.Addr("b"))
	_, _ = a.Write([]byte("lost"))
	if err := a.(interface{ SetLinger(seconds int) error }).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	_ = a.Close()
	if _, err := b.Read(make([]byte, 10)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read: %v", err)
	}
	_ = b.Close()
}
