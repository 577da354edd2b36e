package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	// A writer that is stuck in a full socket must not hold up the end of the connection.
	unstick := context.AfterFunc(c.ctx, func() { _ = ws.NetConn().SetWriteDeadline(time.Now().Add(closeTimeout)) })
	defer unstick()
	written := make(chan error, 1)
	go func() { written <- c.write(ctx, ws, cd) }()
	readErr := c.read(ws, cd)
	cancel()
	_ = ws.Close() // frees a writer that is stuck; the socket has failed or is being left
	if writeErr := <-written; writeErr != nil {
		return writeErr // the cause: a failed write closes the socket under the reader
	}
	return readErr
}

// write writes what comes through the outbox, and pings, until ctx ends. On its return the socket is closed.
func (c *Conn) write(ctx context.Context, ws *websocket.Conn, cd codec) error {
	defer ws.Close()
	pings := time.NewTicker(c.timing.ping)
	defer pings.Stop()
	c.mu.Lock()
	first := c.first
	c.first = nil
	c.mu.Unlock()
	for {
		var m outgoing
		if len(first) > 0 {
			m, first = first[0], first[1:]
		} else {
			select {
			case <-ctx.Done():
				_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""),
					time.Now().Add(closeTimeout)) // a courtesy
				return nil
			case <-pings.C:
				if err := ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout)); err != nil {
					return fmt.Errorf("ping: %w", err)
				}
				continue
			case m = <-c.outbox:
			}
		}
		if err := c.writeOne(ws, cd, m); err != nil {
			// Nothing of a message that failed to be written whole has reached the kernel.
			c.mu.Lock()
			c.first = append([]outgoing{m}, first...)
			c.mu.Unlock()
			return err
		}
	}
}

func (c *Conn) writeOne(ws *websocket.Conn, cd codec, m outgoing) error {
	if m.wanted != nil && !m.wanted() {
		return nil
	}
	frameType, frame, err := cd.encode(m)
	if err != nil {
		c.log.Error("kernel message cannot be encoded", "kernel", c.kernelID, "type", m.header.Type, "error", err)
		return nil
	}
	if err := ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := ws.WriteMessage(frameType, frame); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if m.written != nil {
		m.written()
	}
	return nil
}

// read takes in messages until the socket fails.
func (c *Conn) read(ws *websocket.Conn, cd codec) error {
	ws.SetPongHandler(func(string) error { return c.alive(ws) })
	pong := ws.PingHandler()
	ws.SetPingHandler(func(data string) error {
		if err := c.alive(ws); err != nil {
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
		m, err := cd.decode(frameType, frame)
		if err != nil {
			c.log.Warn("kernel frame passed over", "kernel", c.kernelID, "error", err)
			continue
		}
		c.dispatch(m)
	}
}

// readFrame reads one message. The time for it is counted anew with every piece: a display of many megabytes takes
// long on a slow line, and no ping is heard meanwhile.
func (c *Conn) readFrame(ws *websocket.Conn) (int, []byte, error) {
	if err := c.alive(ws); err != nil {
		return 0, nil, err
	}
	frameType, r, err := ws.NextReader()
	if err != nil {
		return 0, nil, err
	}
	var buf bytes.Buffer
	for {
		if _, err := io.CopyN(&buf, r, 256<<10); errors.Is(err, io.EOF) {
			return frameType, buf.Bytes(), nil
		} else if err != nil {
			return 0, nil, err
		}
		if err := c.alive(ws); err != nil {
			return 0, nil, err
		}
	}
}

// alive allows the socket another while to be silent.
func (c *Conn) alive(ws *websocket.Conn) error {
	return ws.SetReadDeadline(time.Now().Add(c.timing.silence))
}

// setWaiting notes that the reader begins or ends to wait for a message.
func (c *Conn) setWaiting(waiting bool) {
	c.mu.Lock()
	c.waiting, c.heard = waiting, time.Now()
	c.mu.Unlock()
}
