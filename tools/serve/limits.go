package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// readBody reads a request's body within the limits of size and time, and puts it back for the handler. If it cannot,
// it answers the request and returns false.
func (s *Server) readBody(w *writer, r *http.Request) (body []byte, ok bool) {
	lim := s.cfg.Limits
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		// A page may send anything else without asking first.
		refuse(w, http.StatusUnsupportedMediaType, "wrong Content-Type: send application/json")
		return nil, false
	}
	if r.ContentLength > lim.Body {
		refuseTooLong(w, r, lim.Body, nil)
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, lim.Body))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		refuseTooLong(w, r, lim.Body, body)
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusRequestTimeout, fmt.Sprintf("the body did not arrive within %s", lim.BodyTime))
	case err != nil:
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusBadRequest, "the body could not be read")
	default:
		_ = w.ctl.SetReadDeadline(time.Time{}) // ServeHTTP has set one
		r.Body = io.NopCloser(bytes.NewReader(body))
		return body, true
	}
	return nil, false
}

// maxDrain is how many bytes of an unread body are read before an answer is sent; net/http reads as many on a
// connection that stays open.
const maxDrain = 256 << 10

// drainBody reads the rest of a body if the connection ends with the answer. Closing a connection with unread bytes
// resets it, and its client, still sending, may never see the answer. net/http waits a moment before it closes a
// connection that met one of its own limits, but not when the client has asked for the end.
func drainBody(w *writer, r *http.Request, body io.ReadCloser) {
	ends := r.Close || w.Header().Get("Connection") == "close"
	if body == nil || !ends || r.ProtoMajor != 1 || r.Header.Get("Expect") != "" { // a client that waits for 100 sends nothing
		return
	}
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w.ResponseWriter, body, maxDrain)) // nobody needs its error
}

// A semaphore has as many slots as its capacity.
type semaphore chan struct{}

func (p semaphore) tryAcquire() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

func (p semaphore) release() { <-p }

// A limitListener accepts a limited number of connections at once; the next one waits until one is closed.
type limitListener struct {
	net.Listener
	slots  semaphore
	closed chan struct{}
	once   sync.Once
}

func newLimitListener(l net.Listener, most int) *limitListener {
	return &limitListener{Listener: l, slots: make(semaphore, most), closed: make(chan struct{})}
}

// Accept waits for a slot, then for a connection.
func (l *limitListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		l.slots.release()
		return nil, err
	}
	return &limitConn{Conn: c, release: sync.OnceFunc(l.slots.release)}, nil
}

// Close closes the listener.
func (l *limitListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A limitConn is a connection that holds a slot.
type limitConn struct {
	net.Conn
	release func()
}

// CloseWrite ends the sending half. net/http does so before it waits for a client to read its answer.
func (c *limitConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection and releases its slot.
func (c *limitConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
