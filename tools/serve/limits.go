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

// readBody reads a request's body, within the limits of size and time, and puts it back to be read. It answers, and
// reports false, where there is none to work with.
func (s *Server) readBody(w *writer, r *http.Request) (body []byte, ok bool) {
	lim := s.cfg.Limits
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		// A page may send anything else without asking first.
		refuse(w, http.StatusUnsupportedMediaType, "the Content-Type has to be application/json")
		return nil, false
	}
	tooLong := func() {
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", lim.Body))
	}
	if r.ContentLength > lim.Body {
		tooLong()
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, lim.Body))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		tooLong()
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusRequestTimeout, fmt.Sprintf("the body did not arrive within %s", lim.BodyTime))
	case err != nil:
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusBadRequest, "the body could not be read")
	default:
		_ = w.ctl.SetReadDeadline(time.Time{}) // which ServeHTTP has set
		r.Body = io.NopCloser(bytes.NewReader(body))
		return body, true
	}
	return nil, false
}

// maxDrain is how many bytes of a body that nobody wanted are read before an answer is sent. It is what net/http reads
// where the connection goes on.
const maxDrain = 256 << 10

// drainBody reads what is left of a body where the connection ends with the answer. A connection that is closed with bytes
// unread is reset, and its client, still sending, may never see the answer. net/http waits a moment before it closes a
// connection on which a limit of its own was met, but not where the client had asked for the end.
func drainBody(w *writer, r *http.Request, body io.ReadCloser) {
	ends := r.Close || w.Header().Get("Connection") == "close"
	if body == nil || !ends || r.ProtoMajor != 1 || r.Header.Get("Expect") != "" { // who waits for 100 sends nothing
		return
	}
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w.ResponseWriter, body, maxDrain)) // what is wrong with it concerns nobody
}

// semaphore are a number of places that can be taken.
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

// limitListener is a listener that lets in so many connections at once; the next waits until one has gone.
type limitListener struct {
	net.Listener
	slots  semaphore
	closed chan struct{}
	once   sync.Once
}

func newLimitListener(l net.Listener, most int) *limitListener {
	return &limitListener{Listener: l, slots: make(semaphore, most), closed: make(chan struct{})}
}

// Accept waits for a place, and then for a connection.
func (d *limitListener) Accept() (net.Conn, error) {
	select {
	case d.slots <- struct{}{}:
	case <-d.closed:
		return nil, net.ErrClosed
	}
	c, err := d.Listener.Accept()
	if err != nil {
		d.slots.release()
		return nil, err
	}
	return &limitConn{Conn: c, release: sync.OnceFunc(d.slots.release)}, nil
}

// Close closes the listener.
func (d *limitListener) Close() error {
	d.once.Do(func() { close(d.closed) })
	return d.Listener.Close()
}

// limitConn is a connection that has a place.
type limitConn struct {
	net.Conn
	release func()
}

// CloseWrite tells the other side that nothing more comes. net/http does so before it waits for a client to read its answer.
func (v *limitConn) CloseWrite() error {
	if c, ok := v.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// Close closes the connection and gives the place back.
func (v *limitConn) Close() error {
	defer v.release()
	return v.Conn.Close()
}
