package kernel

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

const (
	writeTimeout = 30 * time.Second
	closeTimeout = time.Second
)

// A socket is one of a connection's successive websockets.
type socket struct {
	*websocket.Conn
	c     *Conn
	codec codec
}

// serve reads one socket until it fails, with a writer beside it, and returns why it ended.
func (c *Conn) serve(ws *websocket.Conn) error {
	s := socket{ws, c, textCodec{}}
	if ws.Subprotocol() == jupyter.KernelProtocol {
		s.codec = binaryCodec{}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	c.socket, c.unopened = ws, time.Now()
	c.mu.Unlock()
	// A writer that is stuck in a full socket must not delay the end of the connection.
	unstick := context.AfterFunc(c.ctx, func() { _ = ws.NetConn().SetWriteDeadline(time.Now().Add(closeTimeout)) })
	defer unstick()
	opened, heard := make(chan struct{}), make(chan struct{})
	written := make(chan error, 1)
	go func() { written <- s.write(ctx, opened, heard) }()
	readErr := s.read(sync.OnceFunc(func() {
		s.noteOpened()
		close(opened)
	}), sync.OnceFunc(func() { close(heard) }))
	cancel()
	_ = ws.Close() // frees a writer that is stuck; the socket has failed or is being left
	if writeErr := <-written; writeErr != nil {
		return writeErr // the cause: a failed write closes the socket under the reader
	}
	return readErr
}

// write writes the messages of the outbox, and pings, until ctx ends. When it returns, the socket is closed.
//
// It begins with an info request, which the kernel answers even while it runs code, and holds everything else back until
// the kernel's first message: the server opens a socket before it subscribes to the kernel for it, and earlier output is
// lost. Once the server has begun to read, the wait for a silent kernel is short, see unopened.
func (s socket) write(ctx context.Context, opened, heard <-chan struct{}) error {
	defer s.Close()
	pings := time.NewTicker(s.c.timing.ping)
	defer pings.Stop()
	greetings := time.NewTicker(s.c.timing.greet)
	defer greetings.Stop()
	patience := (<-chan time.Time)(nil)
	if err := cmp.Or(s.ping(), s.greet()); err != nil {
		return err
	}
	outbox := (<-chan outgoing)(nil)
	open := func() error {
		if outbox != nil {
			return nil
		}
		outbox, heard = s.c.outbox, nil
		greetings.Stop()
		return s.writeFirst()
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			_ = s.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""),
				time.Now().Add(closeTimeout)) // a courtesy
			return nil
		case <-pings.C:
			err = s.ping()
		case <-greetings.C:
			err = s.greet()
		case <-heard:
			err = open()
		case <-opened:
			opened = nil
			patience = time.After(s.c.timing.greetWait)
		case <-patience:
			err = open()
		case m := <-outbox:
			if err = s.writeOne(m); err != nil {
				// The kernel gets no part of a message that was not written completely.
				s.c.mu.Lock()
				s.c.first = append(s.c.first, m)
				s.c.mu.Unlock()
			}
		}
		if err != nil {
			return err
		}
	}
}

func (s socket) ping() error {
	if err := s.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	return nil
}

// greet sends an info request on the control channel, which the kernel answers at once.
func (s socket) greet() error {
	return s.writeOne(s.c.ids.infoRequest("control"))
}

// writeFirst writes the messages that an earlier socket failed to write.
func (s socket) writeFirst() error {
	for {
		s.c.mu.Lock()
		if len(s.c.first) == 0 {
			s.c.mu.Unlock()
			return nil
		}
		m := s.c.first[0]
		s.c.mu.Unlock()
		if err := s.writeOne(m); err != nil {
			return err
		}
		s.c.mu.Lock()
		s.c.first = s.c.first[1:] // only the writer removes from it, and nothing is added meanwhile
		s.c.mu.Unlock()
	}
}

func (s socket) writeOne(m outgoing) error {
	frameType, frame := s.codec.encode(m)
	if m.sending != nil && !m.sending() {
		return nil
	}
	err := s.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err == nil {
		err = s.WriteMessage(frameType, frame)
	}
	if err != nil {
		if m.unsent != nil {
			m.unsent()
		}
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// read handles messages until the socket fails; it calls opened with each message and each answer to a ping, and heard
// with each message on iopub.
func (s socket) read(opened, heard func()) error {
	s.SetPongHandler(func(string) error {
		opened()
		return s.extendDeadline()
	})
	pong := s.PingHandler()
	s.SetPingHandler(func(data string) error {
		if err := s.extendDeadline(); err != nil {
			return err
		}
		return pong(data)
	})
	for {
		s.setWaiting(true)
		frameType, frame, err := s.readFrame()
		s.setWaiting(false)
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		opened()
		m, err := s.codec.decode(frameType, frame)
		if err != nil {
			s.c.log.Warn("kernel frame ignored", "kernel", s.c.kernelID, "error", err)
			continue
		}
		if m.channel == "iopub" {
			heard()
		}
		s.c.dispatch(m)
	}
}

// readFrame reads one message. Every piece extends the deadline: a display of many megabytes takes long on a slow line, and
// pings do not come meanwhile.
func (s socket) readFrame() (int, []byte, error) {
	if err := s.extendDeadline(); err != nil {
		return 0, nil, err
	}
	frameType, r, err := s.NextReader()
	if err != nil {
		return 0, nil, err
	}
	var buf bytes.Buffer
	for {
		if _, err := io.CopyN(&buf, r, 16<<10); errors.Is(err, io.EOF) {
			return frameType, buf.Bytes(), nil
		} else if err != nil {
			return 0, nil, err
		}
		if err := s.extendDeadline(); err != nil {
			return 0, nil, err
		}
	}
}

// extendDeadline allows the socket another period of silence.
func (s socket) extendDeadline() error {
	s.c.noteAlive()
	return s.SetReadDeadline(time.Now().Add(s.c.timing.silence))
}

// noteOpened notes that the server reads the current socket.
func (s socket) noteOpened() {
	s.c.reached.Store(true)
	s.c.mu.Lock()
	s.c.unopened = time.Time{}
	s.c.mu.Unlock()
}

// setWaiting notes that the reader begins or stops waiting for a message.
func (s socket) setWaiting(waiting bool) {
	s.c.mu.Lock()
	s.c.waiting, s.c.heard = waiting, time.Now()
	s.c.mu.Unlock()
}
