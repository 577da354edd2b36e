package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"
)

// shortBody is the number of a body's bytes that are not counted.
const shortBody = 64 << 10

// readBody reads a request's body within the limits of size and time, and puts it back for the handler. If it cannot, it
// answers the request and returns false. back releases the bytes reserved for the body.
func (s *Server) readBody(w *writer, r *http.Request) (body []byte, back func(), ok bool) {
	lim, back := s.cfg.Limits, func() {}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		// A page may send other types without a preflight request.
		Refuse(w, http.StatusUnsupportedMediaType, "wrong Content-Type: send application/json")
		return nil, back, false
	}
	if r.ContentLength > lim.Body {
		refuseTooLong(w, r, lim.Body, nil)
		return nil, back, false
	}
	sent := http.MaxBytesReader(w.ResponseWriter, r.Body, lim.Body)
	// Bytes are reserved only after the first part of the body has arrived, so a client that sends none reserves none.
	body, err := io.ReadAll(io.LimitReader(sent, shortBody))
	short := enough
	if err == nil && len(body) == shortBody {
		size := r.ContentLength
		if size < 0 {
			size = lim.Body
		}
		var room func()
		if room, short = s.bodyRoom(r.Context(), callerIn(r.Context()), size); short == enough {
			back = room
			all := bytes.NewBuffer(body)
			if r.ContentLength >= 0 {
				all.Grow(int(size) - len(body) + bytes.MinRead) // once: growing in steps leaves garbage of several times the size
			}
			_, err = all.ReadFrom(sent)
			body = all.Bytes()
		}
	}
	if short == enough && err == nil {
		_ = w.ctl.SetReadDeadline(time.Time{}) // ServeHTTP set one
		r.Body = io.NopCloser(bytes.NewReader(body))
		return body, back, true
	}
	w.Header().Set("Connection", "close") // the rest of the body is not read
	var long *http.MaxBytesError
	switch {
	case short == shortOfOwn:
		busy(w, http.StatusTooManyRequests, "too many bytes of your requests are being served: wait for answers, or send less at once")
	case short == shortOfAll:
		busy(w, http.StatusServiceUnavailable, "too many bytes are being served: try again later")
	case errors.As(err, &long):
		refuseTooLong(w, r, lim.Body, body)
	case errors.Is(err, os.ErrDeadlineExceeded):
		Refuse(w, http.StatusRequestTimeout, fmt.Sprintf("the body did not arrive within %s", lim.BodyTime))
	default:
		Refuse(w, http.StatusBadRequest, "the body could not be read")
	}
	return nil, back, false
}

// bodyRoom waits until the budget has room for a long body or message.
func (s *Server) bodyRoom(ctx context.Context, who caller, size int64) (back func(), short shortage) {
	if back, short = s.bytes.take(who, size); short == enough {
		return back, short
	}
	ctx, stop := context.WithTimeout(ctx, s.cfg.Limits.RoomTime)
	defer stop()
	if back, short = s.bytes.await(ctx, who, size); short == enough {
		runtime.GC() // a collector that lags would keep the bodies before this one in memory
	}
	return back, short
}

// maxDrain is the number of bytes of an unread body that are read before an answer is sent; net/http reads as many on a
// connection that stays open.
const maxDrain = 256 << 10

// drainBody reads the rest of a body if the connection ends with the answer. Closing a connection with unread bytes resets
// it, and its client, still sending, may never see the answer. net/http waits a moment before it closes a connection that
// exceeded one of its own limits, but not if the client has asked to close it.
func drainBody(w *writer, r *http.Request, body io.ReadCloser) {
	ends := r.Close || w.Header().Get("Connection") == "close"
	if body == nil || !ends || r.ProtoMajor != 1 || r.Header.Get("Expect") != "" { // a client that awaits 100 sends no body
		return
	}
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w.ResponseWriter, body, maxDrain)) // its error does not matter
}

// A limitListener accepts a limited number of connections at once; the next one waits until one is closed.
type limitListener struct {
	net.Listener
	slots  chan struct{} // holds a value for each open connection
	closed chan struct{}
	once   sync.Once
}

func newLimitListener(l net.Listener, most int) *limitListener {
	return &limitListener{Listener: l, slots: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a slot, then for a connection.
func (l *limitListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	release := sync.OnceFunc(func() { <-l.slots })
	c, err := l.Listener.Accept()
	if err != nil {
		release()
		return nil, err
	}
	return &limitConn{Conn: c, release: release}, nil
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

// CloseWrite ends the sending half. net/http calls it before it waits for a client to read the answer.
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
