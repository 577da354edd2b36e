package kernels

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	pingInterval = 30 * time.Second
	pongTimeout  = 90 * time.Second
)

// socket is one client's connection to a kernel's channels.
type socket struct {
	kernel  *kernel
	ws      *websocket.Conn
	session string
	sent    int // number of the server's messages to it; guarded by mu

	mu      sync.Mutex
	queue   []*message
	limit   limiter
	closing bool // a close frame follows the queue

	wake     chan struct{}
	done     chan struct{} // closed when the connection has ended
	end      sync.Once
	lastPong atomic.Int64
}

var upgrader = websocket.Upgrader{
	Subprotocols: []string{protocolV1},
	CheckOrigin:  func(*http.Request) bool { return true },
}

// enqueue queues a message, subject to the rate limit.
func (s *socket) enqueue(m *message) {
	s.mu.Lock()
	drop, notice := s.limit.drop(m)
	if notice != "" {
		s.queue = append(s.queue, s.own("stream", raw(map[string]string{"text": notice, "name": "stderr"}), m.parent))
	}
	if !drop {
		s.queue = append(s.queue, m)
	}
	s.mu.Unlock()
	s.poke()
}

// own makes a message of the server, not of the kernel; s.mu is held.
func (s *socket) own(kind string, content, parent json.RawMessage) *message {
	s.sent++
	m := newMessage(s.session, serverPID, s.sent, "iopub", kind, content, parent)
	m.bare = true
	return m
}

// tell sends a status of the server.
func (s *socket) tell(state string) {
	s.mu.Lock()
	s.queue = append(s.queue, s.own("status", status(state), nil))
	s.mu.Unlock()
	s.poke()
}

func (s *socket) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close ends the connection with a close frame.
func (s *socket) close() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.poke()
}

// drop ends the connection without a close frame.
func (s *socket) drop() {
	s.end.Do(func() {
		close(s.done)
		s.ws.Close()
	})
}

// write sends the queue, and pings.
func (s *socket) write() {
	defer s.drop()
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-ping.C:
			if time.Since(time.Unix(0, s.lastPong.Load())) > pongTimeout {
				return
			}
			if s.ws.WriteControl(websocket.PingMessage, nil, time.Time{}) != nil {
				return
			}
		case <-s.wake:
			if !s.flush() {
				return
			}
		}
	}
}

// flush sends the queue and reports whether to continue.
func (s *socket) flush() bool {
	s.mu.Lock()
	queue, closing := s.queue, s.closing
	s.queue = nil
	s.mu.Unlock()
	for _, m := range queue {
		kind, frame := encode(s.ws.Subprotocol(), m)
		if s.ws.WriteMessage(kind, frame) != nil {
			return false
		}
	}
	if closing {
		_ = s.ws.WriteControl(websocket.CloseMessage, nil, time.Time{}) // it ends either way
	}
	return !closing
}

// read passes the client's messages to the kernel until the connection ends. A malformed frame ends it.
func (s *socket) read() {
	defer s.drop()
	s.lastPong.Store(time.Now().UnixNano())
	s.ws.SetPongHandler(func(string) error {
		s.lastPong.Store(time.Now().UnixNano())
		return nil
	})
	for {
		kind, frame, err := s.ws.ReadMessage()
		if err != nil {
			return
		}
		m, err := decode(s.ws.Subprotocol(), kind, frame)
		if err != nil {
			return
		}
		s.kernel.receive(s.session, m)
	}
}
