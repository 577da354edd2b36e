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

// serve reads one socket until it fails, with a writer beside it, and returns why it ended.
func (c *Conn) serve(ws *websocket.Conn) error {
	var cd codec = textCodec{}
	if ws.Subprotocol() == jupyter.KernelProtocol {
		cd = binaryCodec{}
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
	go func() { written <- c.write(ctx, ws, cd, opened, heard) }()
	readErr := c.read(ws, cd, sync.OnceFunc(func() {
		c.noteOpened()
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
// It begins with an info request, which the kernel answers even while it runs code, and holds everything else back
// until the kernel's first message: the server opens a socket before it subscribes to the kernel for it, and earlier
// output is lost. A kernel that says nothing is not waited for long once the server has begun to read, see unopened.
func (c *Conn) write(ctx context.Context, ws *websocket.Conn, cd codec, opened, heard <-chan struct{}) error {
	defer ws.Close()
	pings := time.NewTicker(c.timing.ping)
	defer pings.Stop()
	greetings := time.NewTicker(c.timing.greet)
	defer greetings.Stop()
	patience := (<-chan time.Time)(nil)
	if err := cmp.Or(ping(ws), c.greet(ws, cd)); err != nil {
		return err
	}
	outbox := (<-chan outgoing)(nil)
	open := func() error {
		if outbox != nil {
			return nil
		}
		outbox, heard = c.outbox, nil
		greetings.Stop()
		return c.writeFirst(ws, cd)
	}
	for {
		var m outgoing
		select {
		case <-ctx.Done():
			_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""),
				time.Now().Add(closeTimeout)) // a courtesy
			return nil
		case <-pings.C:
			if err := ping(ws); err != nil {
				return err
			}
			continue
		case <-greetings.C:
			if err := c.greet(ws, cd); err != nil {
				return err
			}
			continue
		case <-heard:
			if err := open(); err != nil {
				return err
			}
			continue
		case <-opened:
			opened = nil
			patience = time.After(c.timing.greetWait)
			continue
		case <-patience:
			if err := open(); err != nil {
				return err
			}
			continue
		case m = <-outbox:
		}
		if err := c.writeOne(ws, cd, m); err != nil {
			// The kernel gets nothing of a message that was not written completely.
			c.mu.Lock()
			c.first = append(c.first, m)
			c.mu.Unlock()
			return err
		}
	}
}

func ping(ws *websocket.Conn) error {
	if err := ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	return nil
}

// greet sends an info request on the control channel, which the kernel answers at once.
func (c *Conn) greet(ws *websocket.Conn, cd codec) error {
	m, err := newOutgoing("control", c.ids.header("kernel_info_request"), nil, struct{}{})
	if err != nil {
		return err
	}
	return c.writeOne(ws, cd, m)
}

// writeFirst writes the messages that a former socket has not written.
func (c *Conn) writeFirst(ws *websocket.Conn, cd codec) error {
	for {
		c.mu.Lock()
		if len(c.first) == 0 {
			c.mu.Unlock()
			return nil
		}
		m := c.first[0]
		c.mu.Unlock()
		if err := c.writeOne(ws, cd, m); err != nil {
			return err
		}
		c.mu.Lock()
		c.first = c.first[1:] // only the writer takes from it, and nobody adds to it meanwhile
		c.mu.Unlock()
	}
}

func (c *Conn) writeOne(ws *websocket.Conn, cd codec, m outgoing) error {
	frameType, frame := cd.encode(m)
	if m.sending != nil && !m.sending() {
		return nil
	}
	err := ws.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err == nil {
		err = ws.WriteMessage(frameType, frame)
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
func (c *Conn) read(ws *websocket.Conn, cd codec, opened, heard func()) error {
	ws.SetPongHandler(func(string) error {
		opened()
		return c.extendDeadline(ws)
	})
	pong := ws.PingHandler()
	ws.SetPingHandler(func(data string) error {
		if err := c.extendDeadline(ws); err != nil {
			return err
		}
		return pong(data)
	})
	for {
		c.setWaiting(true)
		frameType, frame, err := c.readFrame(ws)
		c.setWaiting(false)
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		opened()
		m, err := cd.decode(frameType, frame)
		if err != nil {
			c.log.Warn("kernel frame ignored", "kernel", c.kernelID, "error", err)
			continue
		}
		if m.channel == "iopub" {
			heard()
		}
		c.dispatch(m)
	}
}

// readFrame reads one message. Every piece extends the deadline: a display of many megabytes takes long on a slow line,
// and no ping comes meanwhile.
func (c *Conn) readFrame(ws *websocket.Conn) (int, []byte, error) {
	if err := c.extendDeadline(ws); err != nil {
		return 0, nil, err
	}
	frameType, r, err := ws.NextReader()
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
		if err := c.extendDeadline(ws); err != nil {
			return 0, nil, err
		}
	}
}

// extendDeadline allows the socket another period of silence.
func (c *Conn) extendDeadline(ws *websocket.Conn) error {
	c.noteAlive()
	return ws.SetReadDeadline(time.Now().Add(c.timing.silence))
}

// noteOpened notes that the server reads the current socket.
func (c *Conn) noteOpened() {
	c.reached.Store(true)
	c.mu.Lock()
	c.unopened = time.Time{}
	c.mu.Unlock()
}

// setWaiting notes that the reader begins or stops waiting for a message.
func (c *Conn) setWaiting(waiting bool) {
	c.mu.Lock()
	c.waiting, c.heard = waiting, time.Now()
	c.mu.Unlock()
}
