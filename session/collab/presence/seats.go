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

// What a client is shown to do.
const (
	Reading = "reading"
	Editing = "editing"
	Waiting = "waiting for you"
)

// linger is how long something is shown that takes no time.
const linger = 4 * time.Second

// A Room is what faces are shown in.
type Room interface {
	// SetFace shows a face under an awareness id of its own; nil takes it out.
	SetFace(client uint64, f *rtc.Face)
}

// A Lobby is told who is in a document.
type Lobby interface {
	// Came is called for each who comes, and again when they are called something else.
	Came(u awareness.User)
	Left(username string)
}

// Seats are the faces in one document's room. A client comes in with a call, and leaves when it has not called for long.
type Seats struct {
	faces *Faces
	lobby Lobby
	idle  time.Duration
	wake  chan struct{} // Run's: the next time may have changed

	mu     sync.Mutex
	room   Room
	closed bool
	in     map[string]*seat
	writer string // the client for which was written last
}

// seat is one client in the room.
type seat struct {
	client  string
	id      uint64
	user    awareness.User
	cursors []awareness.Cursor
	last    time.Time        // when it last did something
	did     awareness.Status // what; not for long
	goes    []going
	shown   *rtc.Face
}

// going is something that goes on until it is said to end.
type going struct {
	key string
	awareness.Status
}

// NewSeats makes the seats of a room. A client leaves after idle without a call.
func NewSeats(faces *Faces, lobby Lobby, idle time.Duration, room Room) *Seats {
	return &Seats{faces: faces, lobby: lobby, idle: idle, room: room, in: map[string]*seat{}, wake: make(chan struct{}, 1)}
}

// Enter has a client come in, or stay: it reads. "" is nobody.
func (s *Seats) Enter(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if client == "" || s.closed {
		return
	}
	one := s.in[client]
	if one == nil {
		one = &seat{client: client, id: uint64(rand.Uint32()), user: s.faces.Of(client).User}
		s.in[client] = one
		s.lobby.Came(one.user)
	}
	one.does(Reading, "")
	s.show(one, false)
}

// Writes says that what is written next is a client's.
func (s *Seats) Writes(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.in[client]; one != nil && s.writer != client {
		s.writer = client
		s.show(one, true)
	}
}

// Wrote says that a client has written, into a cell or elsewhere ("").
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

// Begin shows that something goes on for a client until End is called with the same key; what began last counts. The client
// stays meanwhile. One that is not there does not come in.
func (s *Seats) Begin(client, key, text, cell string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.in[client]; one != nil {
		one.ends(key)
		one.goes = append(one.goes, going{key, awareness.Status{Text: text, Cell: cell, Since: time.Now().UnixMilli()}})
		s.show(one, false)
	}
}

// End ends it.
func (s *Seats) End(client, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.in[client]; one != nil && one.ends(key) {
		one.last, one.did = time.Now(), awareness.Status{}
		s.show(one, false)
	}
}

// Leave has a client leave.
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
	s.faces.Does(client, s, Doing{})
	s.room.SetFace(one.id, nil)
	s.lobby.Left(one.user.Username)
}

// Renamed shows those anew whose faces are others.
func (s *Seats) Renamed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for client, one := range s.in {
		if u := s.faces.Of(client).User; u.DisplayName != one.user.DisplayName {
			one.user = u
			s.lobby.Came(u)
			s.show(one, s.writer == client)
		}
	}
}

// Move has all go over into another room of the same document, where their carets are not known.
func (s *Seats) Move(room Room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room = room
	for client, one := range s.in {
		one.id, one.cursors, one.shown = uint64(rand.Uint32()), nil, nil
		s.show(one, s.writer == client)
	}
}

// Close says that the room is being left: nobody comes in any more. Those who are there leave with it.
func (s *Seats) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for client := range s.in {
		s.faces.Does(client, s, Doing{})
	}
}

// Seen are those who are there as the others in the room see them, without one client.
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

// Run ends what is shown for a while, and has those leave who have not called for long, until the context ends.
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

// look does what is due at a time, and returns how long it is until something is.
func (s *Seats) look(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := time.Hour
	for client, one := range s.in {
		since := now.Sub(one.last)
		switch {
		case len(one.goes) > 0:
			continue // its end wakes us
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

// show shows a face as it is now, if that is not what is shown. s.mu is held.
func (s *Seats) show(one *seat, writes bool) {
	f := &rtc.Face{User: one.user, Cursors: one.cursors, Status: one.did}
	if n := len(one.goes); n > 0 {
		f.Status = one.goes[n-1].Status
	}
	if !s.closed {
		s.faces.Does(one.client, s, Doing{f.Status, len(one.goes) > 0})
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
	s.room.SetFace(one.id, &told)
}

// does notes what a client does, which is known not to be over at once, and not when.
func (one *seat) does(text, cell string) {
	one.last = time.Now()
	if cell == "" && text == one.did.Text {
		return
	}
	if one.did.Text != text || one.did.Cell != cell {
		one.did = awareness.Status{Text: text, Cell: cell, Since: one.last.UnixMilli()}
	}
}

// ends reports whether something went on.
func (one *seat) ends(key string) bool {
	n := len(one.goes)
	one.goes = slices.DeleteFunc(one.goes, func(g going) bool { return g.key == key })
	return len(one.goes) < n
}
