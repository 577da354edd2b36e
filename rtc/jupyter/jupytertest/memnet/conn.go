package memnet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// buffered is how many bytes one direction of a connection holds before a write waits.
const buffered = 1 << 20

// Pipe returns both ends of a connection.
func Pipe(near, far net.Addr) (a, b net.Conn) {
	to, from := newStream(), newStream()
	return &conn{local: near, remote: far, in: from, out: to}, &conn{local: far, remote: near, in: to, out: from}
}

type conn struct {
	local, remote net.Addr
	in, out       *stream
	abort         atomic.Bool
}

// SetLinger is that of a TCP connection, for 0 only: Close then drops unread data, and the other end sees a
// connection reset.
func (c *conn) SetLinger(seconds int) error {
	c.abort.Store(seconds == 0)
	return nil
}

// Read implements [net.Conn].
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // io.EOF is itself, as a reader's end
		err = &net.OpError{Op: "read", Net: "memory", Source: c.local, Addr: c.remote, Err: err}
	}
	return n, err
}

// Write implements [net.Conn].
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	if err != nil {
		err = &net.OpError{Op: "write", Net: "memory", Source: c.local, Addr: c.remote, Err: err}
	}
	return n, err
}

// Close implements [net.Conn]. The other end can read the written data, and then sees the end, or a broken connection
// if data from it was left unread here.
func (c *conn) Close() error {
	if c.abort.Load() {
		c.out.reset()
	}
	c.out.end()
	c.in.refuse()
	return nil
}

// CloseWrite ends the data for the other side, as a TCP connection's CloseWrite does.
func (c *conn) CloseWrite() error {
	c.out.end()
	return nil
}

// LocalAddr implements [net.Conn].
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements [net.Conn].
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements [net.Conn].
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements [net.Conn].
func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.reading.set(&c.in.mu, c.in.changed, t)
	return nil
}

// SetWriteDeadline implements [net.Conn].
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.writing.set(&c.out.mu, c.out.changed, t)
	return nil
}

// stream is one direction of a connection.
type stream struct {
	mu      sync.Mutex
	changed *sync.Cond // uses mu
	data    []byte
	ended   bool // by the writer
	broken  bool // by the writer, at once
	refused bool // by the reader

	reading, writing deadline
}

func newStream() *stream {
	s := &stream{}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.refused:
			return 0, net.ErrClosed
		case s.reading.over:
			return 0, os.ErrDeadlineExceeded
		case s.broken:
			return 0, syscall.ECONNRESET
		case len(s.data) > 0:
			n := copy(p, s.data)
			if s.data = s.data[n:]; len(s.data) == 0 {
				s.data = nil
			}
			s.changed.Broadcast()
			return n, nil
		case s.ended:
			return 0, io.EOF
		case len(p) == 0:
			return 0, nil
		}
		s.changed.Wait()
	}
}

func (s *stream) write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	written := 0
	for {
		switch {
		case s.ended:
			return written, net.ErrClosed
		case s.writing.over:
			return written, os.ErrDeadlineExceeded
		case s.refused:
			return written, syscall.EPIPE
		case len(p) == 0:
			return written, nil
		}
		if room := buffered - len(s.data); room > 0 {
			n := min(room, len(p))
			s.data = append(s.data, p[:n]...)
			p, written = p[n:], written+n
			s.changed.Broadcast()
			continue
		}
		s.changed.Wait()
	}
}

func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.writing.stop()
	s.changed.Broadcast()
}

func (s *stream) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.broken, s.data = true, nil
		s.changed.Broadcast()
	}
}

func (s *stream) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused, s.data = true, nil
	s.reading.stop()
	s.changed.Broadcast()
}

// deadline is a read or write deadline. The stream's mutex guards it.
type deadline struct {
	timer *time.Timer
	over  bool
}

func (d *deadline) set(mu *sync.Mutex, changed *sync.Cond, t time.Time) {
	mu.Lock()
	defer mu.Unlock()
	d.stop()
	d.over = false
	if t.IsZero() {
		return
	}
	left := time.Until(t)
	if left <= 0 {
		d.over = true
		changed.Broadcast()
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(left, func() {
		mu.Lock()
		defer mu.Unlock()
		if d.timer == timer {
			d.over = true
			changed.Broadcast()
		}
	})
	d.timer = timer
}

// stop stops the timer, so that a closed connection holds no resources.
func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
