package fake

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// ContentsEvent is the schema of file events.
	ContentsEvent = "https://events.jupyter.org/jupyter_server/contents_service/v1"
	// maxEvents is how many events may be queued for a listener before it is disconnected.
	maxEvents = 1000
)

// bus passes events to the listeners at /api/events/subscribe.
type bus struct {
	mu        sync.Mutex
	listeners map[chan []byte]bool
	closed    bool
}

// emit sends an event to all listeners.
func (b *bus) emit(schema string, data map[string]any) {
	event := map[string]any{"schema_id": schema, "__timestamp__": date(time.Now()), "__schema_version__": "1", "__metadata_version__": 1}
	for k, v := range data {
		event[k] = v
	}
	line, err := json.Marshal(event)
	if err != nil {
		return // events consist of texts
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.listeners {
		select {
		case l <- line:
		default:
			close(l)
			delete(b.listeners, l)
		}
	}
}

func (b *bus) listen() (chan []byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, false
	}
	l := make(chan []byte, maxEvents)
	if b.listeners == nil {
		b.listeners = make(map[chan []byte]bool)
	}
	b.listeners[l] = true
	return l, true
}

func (b *bus) leave(l chan []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners[l] {
		close(l)
		delete(b.listeners, l)
	}
}

// close disconnects all listeners.
func (b *bus) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for l := range b.listeners {
		close(l)
	}
	clear(b.listeners)
}

// tell emits a file event.
func (s *Server) tell(action, path, source string) {
	data := map[string]any{"action": action, "path": path}
	if source != "" {
		data["source_path"] = source
	}
	s.bus.emit(ContentsEvent, data)
}

func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	l, ok := s.bus.listen()
	if !ok {
		page(w, http.StatusServiceUnavailable)
		return
	}
	ws, err := (&websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}).Upgrade(w, r, nil)
	if err != nil {
		s.bus.leave(l)
		return
	}
	read := make(chan struct{})
	go func() { // until the connection ends, which this handler ensures
		defer close(read)
		for {
			if _, _, err := ws.ReadMessage(); err != nil {
				s.bus.leave(l)
				return
			}
		}
	}()
	for line := range l {
		if err := ws.WriteMessage(websocket.TextMessage, line); err != nil {
			s.bus.leave(l)
		}
	}
	_ = ws.Close() // it has ended or is about to
	<-read
}
