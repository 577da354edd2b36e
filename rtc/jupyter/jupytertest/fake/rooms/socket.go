package rooms

import (
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// maxMessage is the largest message that a client may send.
const maxMessage = 1 << 30

// closeTimeout is how long a client may take to answer a close frame.
const closeTimeout = 5 * time.Second

// socket is the connection of one client. Its writer sends the queue.
type socket struct {
	t    *Table
	ws   *websocket.Conn
	wake chan struct{}
	gone chan struct{} // closed when the connection has been cut
	once sync.Once

	mu       sync.Mutex
	queue    []message
	closing  bool // a close frame is queued, as the last frame
	received []wire.FrameKind
}

// message is an entry of a socket's queue: a binary frame, or the end of the connection, with a close code or without
// a close frame.
type message struct {
	frame  []byte
	code   int
	reason string
	cut    bool
}

// maxReason is the longest reason that a close frame can have. A server with a longer one fails instead.
const maxReason = 123

func newSocket(t *Table, ws *websocket.Conn) *socket {
	s := &socket{t: t, ws: ws, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	ws.SetReadLimit(maxMessage)
	pong, end := ws.PingHandler(), ws.CloseHandler()
	ws.SetPingHandler(func(data string) error {
		if t.faults.muted() {
			return nil
		}
		return pong(data)
	})
	ws.SetCloseHandler(func(code int, reason string) error {
		if t.faults.muted() {
			return nil
		}
		return end(code, reason)
	})
	return s
}

// send queues a frame. It never waits.
func (s *socket) send(frame []byte) { s.put(message{frame: frame}) }

// end queues a close frame, the last message to the client.
func (s *socket) end(code int, reason string) {
	s.put(message{code: code, reason: reason, cut: len(reason) > maxReason})
}

// cutSoon cuts the connection once the queue has been sent.
func (s *socket) cutSoon() { s.put(message{cut: true}) }

// flush cuts the connection once the queue has been sent, and waits for that.
func (s *socket) flush() {
	if s.t.faults.muted() {
		return
	}
	s.cutSoon()
	<-s.gone
}

func (s *socket) put(m message) {
	if s.t.faults.muted() {
		return
	}
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return
	}
	s.closing = m.cut || m.code != 0
	s.queue = append(s.queue, m)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *socket) take() []message {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queue
	s.queue = nil
	return q
}

// cut ends the connection without a close frame.
func (s *socket) cut() {
	s.once.Do(func() {
		close(s.gone)
		_ = s.ws.Close() // it is closed in any case
	})
}

// write sends the queue until the connection ends.
func (s *socket) write() {
	for {
		select {
		case <-s.wake:
		case <-s.gone:
			return
		}
		for _, m := range s.take() {
			if m.cut {
				s.cut()
				return
			}
			if m.code != 0 {
				_ = s.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(m.code, m.reason))
				_ = s.ws.SetReadDeadline(time.Now().Add(closeTimeout))
				return
			}
			if s.ws.WriteMessage(websocket.BinaryMessage, m.frame) != nil {
				s.cut()
				return
			}
		}
	}
}

// ending reports whether the last message to the client is queued.
func (s *socket) ending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// note records a frame from the client.
func (s *socket) note(kind wire.FrameKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, kind)
}
