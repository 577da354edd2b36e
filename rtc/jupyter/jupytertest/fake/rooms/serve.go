package rooms

import (
	"fmt"
	"net/http"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// upgrader accepts any origin, as the room handler of the real server does.
var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// ServeRoom connects the client of a request for api/collaboration/room/{id}?sessionId={sessionID} to that room, and
// returns when the connection has ended. id is the last part of the path, still escaped. The caller must check the
// client's authorisation.
func (t *Table) ServeRoom(w http.ResponseWriter, r *http.Request, id, sessionID string) {
	if !t.enter() {
		http.Error(w, "the server is stopped", http.StatusServiceUnavailable)
		return
	}
	defer t.wg.Done()
	rm, err := t.room(id)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	s := newSocket(t, ws)
	defer s.cut()
	defer t.disconnected(s)
	if !t.connected(rm, s) {
		return
	}
	t.spawn(s.write)
	if rm.file != nil && !t.cfg.SessionOK(sessionID) {
		s.end(websocket.CloseUnsupportedData, fmt.Sprintf(`{"reason": "unknown_session", "sessionId": %s, "reloadable": true}`, quote(sessionID)))
	}
	c := &client{socket: s, username: t.cfg.Username(r)}
	for !rm.join(c) {
		if rm, err = t.room(id); err != nil { // the room ended meanwhile
			return
		}
	}
	defer rm.do(func() { rm.leave(c) })
	for {
		kind, b, err := ws.ReadMessage()
		if err != nil {
			return
		}
		if kind != websocket.BinaryMessage || !rm.take(c, b) {
			c.flush()
			return
		}
	}
}

// client is a socket in a room.
type client struct {
	*socket
	username string
	half     bool // cut the connection after the first SYNC2
}

// connected records a socket, unless the table is closed.
func (t *Table) connected(r *room, s *socket) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.sockets[s] = struct{}{}
	t.joined[r.key()] = append(t.joined[r.key()], s)
	return true
}

func (t *Table) disconnected(s *socket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sockets, s)
}

// take handles a client's binary frame, in the reading goroutine: it reads the next one when the room has handled
// this one. It returns false where the real server's handler fails, which cuts the connection.
func (r *room) take(c *client, b []byte) bool {
	f, _ := wire.ParseFrame(b, wire.DefaultLimits)
	c.note(f.Kind)
	in := wire.NewReader("frame", b)
	if typ := in.Uint(); in.Err() != nil {
		return false
	} else if typ != messageRaw {
		// A refused or ended client may still send until its own close frame arrives.
		return r.do(func() { r.receive(c, f, b) }) || c.ending()
	}
	if msg := in.VarString(in.Len()); in.Err() != nil || string(msg) != wire.RawSave {
		return true
	}
	id := in.Uint()
	if in.Err() != nil {
		return false
	}
	if r.t.faults.spend(&r.t.faults.dropAtSave, r.path()) {
		return false
	}
	if r.t.faults.version() != 0 {
		return true
	}
	done := make(chan struct{})
	if r.do(func() {
		r.saveFor(func(status string) {
			c.send(wire.AppendRaw(nil, fmt.Sprintf(`{"type": "save", "responseTo": %d, "status": %q}`, id, status)))
			close(done)
		})
	}) {
		select {
		case <-done:
		case <-r.done:
		}
	}
	return true
}

// messageRaw is the type of frames with jupyter-collaboration's own messages.
const messageRaw = 2
