package presence

import (
	"context"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// The activities shown for a client.
const (
	Reading = "reading"
	Editing = "editing"
	Waiting = "waiting for you"
)

// linger is how long a momentary activity is shown.
const linger = 4 * time.Second

// A Room is where appearances are shown.
type Room interface {
	// SetAppearance shows an appearance under its own awareness id; nil removes it.
	SetAppearance(client uint64, f *rtc.Appearance)
}

// A Lobby is notified of the clients in a document.
type Lobby interface {
	// Came is called for each client that enters, and again when its name changes.
	Came(u awareness.User)
	Left(username string)
}

// Seats are the appearances in one document's room. A client enters with a call, and leaves when it has not called for a while.
type Seats struct {
	clients *Clients
	lobby   Lobby
	idle    time.Duration
	wake    chan struct{} // wakes Run: the next deadline may have changed

	mu     sync.Mutex
	room   Room
	closed bool
	in     map[string]*seat
	writer string // the client that wrote last
	warns  string // shown in place of activities; "" for nothing
}

// seat is one client in the room.
type seat struct {
	client  string
	id      uint64
	user    awareness.User
	cursors []awareness.Cursor
	last    time.Time        // when it was last active
	did     awareness.Status // the momentary activity
	goes    []going
	shown   *rtc.Appearance
}

// going is an activity that continues until it is ended.
type going struct {
	key string
	awareness.Status
}

// NewSeats returns the seats of a room. A client leaves after idle without a call.
func NewSeats(clients *Clients, lobby Lobby, idle time.Duration, room Room) *Seats {
	return &Seats{clients: clients, lobby: lobby, idle: idle, room: room, in: map[string]*seat{}, wake: make(chan struct{}, 1)}
}

// Enter shows a client as reading, and adds it to the room if necessary. It ignores "".
func (s *Seats) Enter(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if client == "" || s.closed {
		return
	}
	one := s.in[client]
	if one == nil {
		one = &seat{client: client, id: uint64(rand.Uint32()), user: s.clients.Of(client).User}
		s.in[client] = one
		s.lobby.Came(one.user)
	}
	one.does(Reading, "")
	s.show(one, false)
}

// Writes makes a client the author of the following edits.
func (s *Seats) Writes(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.in[client]; one != nil && s.writer != client {
		s.writer = client
		s.show(one, true)
	}
}

// Wrote notes that a client has edited a cell, or something else ("").
func (s *Seats) Wrote(client, cell string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.in[client]; one != nil {
		one.does(Editing, cell)
		s.show(one, false)
	}
}

// Point shows a client's caret.
func (s *Seats) Point(client, cell string, caret awareness.Cursor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.in[client]
	if one == nil {
		return
	}
	if one.did.Text == Editing {
		one.did.Cell = cell
	}
	one.cursors = []awareness.Cursor{caret}
	s.show(one, false)
}

// Warn shows a text in place of the clients' activities, "" their activities again.
func (s *Seats) Warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warns == text {
		return
	}
	s.warns = text
	for client, one := range s.in {
		s.show(one, s.writer == client)
	}
}

// Begin shows an activity of a client until End is called with the same key; the latest is shown. The client stays in the
// room until then. A client that is not in the room does not enter.
func (s *Seats) Begin(client, key, text, cell string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.in[client]; one != nil {
		one.ends(key)
		one.goes = append(one.goes, going{key, awareness.Status{Text: text, Cell: cell, Since: time.Now().UnixMilli()}})
		s.show(one, false)
	}
}

// End ends an activity that Begin started.
func (s *Seats) End(client, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.in[client]; one != nil && one.ends(key) {
		one.last, one.did = time.Now(), awareness.Status{}
		s.show(one, false)
	}
}

// Leave removes a client.
func (s *Seats) Leave(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave(client)
}

func (s *Seats) leave(client string) {
	one := s.in[client]
	if one == nil {
		return
	}
	delete(s.in, client)
	if s.writer == client {
		s.writer = ""
	}
	s.clients.Does(client, s, Doing{})
	s.room.SetAppearance(one.id, nil)
	s.lobby.Left(one.user.Username)
}

// Renamed updates the clients whose appearances have changed.
func (s *Seats) Renamed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for client, one := range s.in {
		if u := s.clients.Of(client).User; u.DisplayName != one.user.DisplayName {
			one.user = u
			s.lobby.Came(u)
			s.show(one, s.writer == client)
		}
	}
}

// Move moves all clients to another room of the same document. Their carets there are not yet known.
func (s *Seats) Move(room Room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room = room
	for client, one := range s.in {
		one.id, one.cursors, one.shown = uint64(rand.Uint32()), nil, nil
		s.show(one, s.writer == client)
	}
}

// Close notes that the room is being left: clients no longer enter. Those in the room leave with it.
func (s *Seats) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for client := range s.in {
		s.clients.Does(client, s, Doing{})
	}
}

// Seen returns the clients in the room as others see them, except one.
func (s *Seats) Seen(without string) []rtc.Peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []rtc.Peer
	for _, client := range slices.Sorted(maps.Keys(s.in)) {
		if one := s.in[client]; client != without && one.shown != nil {
			out = append(out, rtc.Peer{ClientID: one.id, Replica: one.id, User: one.user, Cursors: one.cursors, Agent: true, Status: one.shown.Status})
		}
	}
	return out
}

// Run ends momentary activities, and removes idle clients, until the context ends.
func (s *Seats) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
		timer.Reset(s.look(time.Now()))
	}
}

// look does the work that is due, and returns the time until the next.
func (s *Seats) look(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := time.Hour
	for client, one := range s.in {
		since := now.Sub(one.last)
		switch {
		case len(one.goes) > 0:
			continue // End wakes Run
		case since >= s.idle:
			s.leave(client)
			continue
		case one.did.Text == "":
			next = min(next, s.idle-since)
		case since >= linger:
			one.did = awareness.Status{}
			s.show(one, false)
			next = min(next, s.idle-since)
		default:
			next = min(next, linger-since)
		}
	}
	return next
}

// show sends an appearance if it differs from the one shown. s.mu is held.
func (s *Seats) show(one *seat, writes bool) {
	f := &rtc.Appearance{User: one.user, Cursors: one.cursors, Status: one.did}
	if n := len(one.goes); n > 0 {
		f.Status = one.goes[n-1].Status
	}
	if s.warns != "" {
		f.Status = awareness.Status{Text: s.warns}
	}
	if !s.closed {
		s.clients.Does(one.client, s, Doing{f.Status, len(one.goes) > 0})
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	if !writes && one.shown != nil && reflect.DeepEqual(f, one.shown) {
		return
	}
	one.shown = f
	told := *f
	told.Writes = writes
	s.room.SetAppearance(one.id, &told)
}

// does notes a momentary activity of a client.
func (one *seat) does(text, cell string) {
	one.last = time.Now()
	if cell == "" && text == one.did.Text {
		return
	}
	if one.did.Text != text || one.did.Cell != cell {
		one.did = awareness.Status{Text: text, Cell: cell, Since: one.last.UnixMilli()}
	}
}

// ends stops an activity, and reports whether it existed.
func (one *seat) ends(key string) bool {
	n := len(one.goes)
	one.goes = slices.DeleteFunc(one.goes, func(g going) bool { return g.key == key })
	return len(one.goes) < n
}
