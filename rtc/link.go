package rtc

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// link is one websocket with the goroutines that read, write and ping it.
//
// The reader hands over whole frames and waits until they are taken, which bounds the memory that a fast room can
// use. It ends with the socket; err then holds the reason. close ends all goroutines and waits for them.
type link struct {
	ws      *websocket.Conn
	in      chan []byte
	held    atomic.Int64  // bytes of the frames that were read and not yet released
	freed   chan struct{} // wakes the reader
	err     error         // valid once in is closed
	timing  Timing
	silence func() time.Duration // time without a frame or pong after which the connection is dead
	heard   func()               // called when the server has sent something
	stop    context.CancelFunc
	stopped <-chan struct{}
	wg      sync.WaitGroup
}

// maxHeld bounds the bytes of unreleased frames; a single frame may be larger.
const maxHeld = 64 << 20

// writeBase and writeRate bound the time for writing one frame: long enough for a large frame on a slow connection,
// and finite for a stuck one.
const (
	writeBase = 10 * time.Second
	writeRate = 16 << 10 // bytes per second
)

// newLink starts to read ws, and to write the frames of next. next blocks until there are frames or the context ends,
// and returns them in order, and whether they are the last.
func newLink(ws *websocket.Conn, t Timing, silence func() time.Duration, heard func(), next func(context.Context) (frames [][]byte, last bool, ok bool)) *link {
	ctx, cancel := context.WithCancel(context.Background())
	l := &link{ws: ws, in: make(chan []byte, 64), freed: make(chan struct{}, 1), timing: t, silence: silence, heard: heard, stop: cancel, stopped: ctx.Done()}
	l.wg.Go(l.read)
	l.wg.Go(func() {
		if l.write(ctx, next) != nil {
			_ = ws.Close() // so that the reader, which keeps the reason, also ends
		}
	})
	l.wg.Go(func() { l.ping(ctx) })
	return l
}

// close ends the link without a close frame and waits for its goroutines.
func (l *link) close() {
	l.stop()
	// The error of closing a socket that is already broken says nothing new.
	_ = l.ws.Close()
	l.wg.Wait()
}

func (l *link) extendDeadline() error {
	l.heard()
	return l.deadline()
}

func (l *link) deadline() error { return l.ws.SetReadDeadline(time.Now().Add(l.silence())) }

func (l *link) read() {
	defer close(l.in)
	l.ws.SetPongHandler(func(string) error { return l.extendDeadline() })
	if l.err = l.deadline(); l.err != nil {
		return
	}
	for {
		frame, err := l.readFrame()
		if err != nil {
			l.err = err
			return
		}
		if !l.hold(int64(len(frame))) {
			l.err = context.Canceled
			return
		}
		select {
		case l.in <- frame:
		case <-l.stopped:
			l.err = context.Canceled
			return
		}
	}
}

// hold waits until n more bytes fit under maxHeld; it returns false when the link ends.
func (l *link) hold(n int64) bool {
	for held := l.held.Load(); held > 0 && held+n > maxHeld; held = l.held.Load() {
		select {
		case <-l.freed:
		case <-l.stopped:
			return false
		}
	}
	l.held.Add(n)
	return true
}

// release marks a frame from in as handled.
func (l *link) release(frame []byte) {
	l.held.Add(-int64(len(frame)))
	nudge(l.freed)
}

// readFrame reads one frame. It extends the deadline with every part, because a large document over a slow connection
// takes longer than the allowed silence.
func (l *link) readFrame() ([]byte, error) {
	kind, r, err := l.ws.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.BinaryMessage {
		return nil, fmt.Errorf("the room sent a text frame: rooms use binary ones")
	}
	buf := make([]byte, 0, 512)
	for {
		if err := l.extendDeadline(); err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *link) write(ctx context.Context, next func(context.Context) ([][]byte, bool, bool)) error {
	for {
		frames, last, ok := next(ctx)
		if !ok {
			return nil
		}
		for _, f := range frames {
			limit := writeBase + time.Duration(len(f)/writeRate)*time.Second
			if err := l.ws.SetWriteDeadline(time.Now().Add(limit)); err != nil {
				return err
			}
			if err := l.ws.WriteMessage(websocket.BinaryMessage, f); err != nil {
				return err
			}
		}
		if last {
			bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			return l.ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(writeBase))
		}
	}
}

func (l *link) ping(ctx context.Context) {
	t := time.NewTicker(l.timing.Ping)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			// A failed ping needs no handling: the silence that follows ends the connection.
			_ = l.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(l.timing.Ping))
		}
	}
}
