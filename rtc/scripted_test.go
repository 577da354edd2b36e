package rtc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// scripted is a server for faults that a real one does not make on demand. It keeps a document and speaks the room's
// protocol, as far as a script lets it.
type scripted struct {
	t   *testing.T
	srv *httptest.Server

	mu          sync.Mutex
	session     string
	nb          *ydoc.Notebook
	ws          *websocket.Conn
	connections int
	got         []wire.FrameKind // from the present client
	hold        bool             // do not answer SYNC1
	gap         error            // of an update that could not be applied
	patient     bool             // does not end the connection because of one
	deny        int              // so many saves end the connection
	saves       int
	breaks      map[int]string       // connections that end early: at "hello", or at "half" of the first exchange
	broken      func(connection int) // called then
}

func newScripted(t *testing.T, sources ...string) *scripted {
	s := &scripted{t: t, session: "one", nb: ydoc.NewNotebook()}
	for _, src := range sources {
		insert(t, s.nb, s.nb.Len(), src)
	}
	s.srv = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.drop()
		s.srv.Close()
	})
	return s
}

func (s *scripted) client() *jupyter.Server {
	srv, err := jupyter.New(jupyter.Options{URL: s.srv.URL, Token: "token"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(srv.CloseIdleConnections)
	return srv
}

func (s *scripted) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.Contains(r.URL.Path, "/api/contents/"):
		answer(w, map[string]any{"name": "a.ipynb", "path": "a.ipynb", "type": "notebook"})
	case strings.Contains(r.URL.Path, "/api/collaboration/session/"):
		s.mu.Lock()
		defer s.mu.Unlock()
		answer(w, map[string]any{"format": "json", "type": "notebook", "fileId": "file", "sessionId": s.session})
	case strings.Contains(r.URL.Path, "/api/collaboration/room/"):
		s.room(w, r)
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (s *scripted) room(w http.ResponseWriter, r *http.Request) {
	ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.Close() }()
	s.mu.Lock()
	s.ws, s.got = ws, nil
	s.connections++
	at, connection := s.breaks[s.connections], s.connections
	if at != "" && s.broken != nil {
		defer s.broken(connection)
	}
	if at == "hello" {
		s.mu.Unlock()
		return
	}
	sv, err := s.nb.StateVector()
	if err == nil && at != "half" {
		err = ws.WriteMessage(websocket.BinaryMessage, wire.AppendSyncStep1(nil, sv))
	}
	s.mu.Unlock()
	for err == nil {
		var b []byte
		if _, b, err = ws.ReadMessage(); err == nil {
			err = s.take(ws, b)
		}
	}
}

func (s *scripted) take(ws *websocket.Conn, b []byte) error {
	f, err := wire.ParseFrame(b, wire.DefaultLimits)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, f.Kind)
	switch f.Kind {
	case wire.SyncStep1:
		if s.hold {
			return nil
		}
		diff, err := s.nb.Diff(f.Payload)
		if err != nil {
			return err
		}
		err = ws.WriteMessage(websocket.BinaryMessage, wire.AppendSyncStep2(nil, diff))
		if s.breaks[s.connections] == "half" {
			// Its own SYNC1 has not been sent.
			err = errors.Join(err, errors.New("the connection ends here"))
		}
		return err
	case wire.SyncStep2, wire.Update:
		err := s.nb.Apply(f.Payload)
		if err != nil && s.gap == nil {
			s.gap = err
		}
		if s.patient {
			return nil
		}
		return err
	case wire.Raw:
		if s.saves++; s.saves <= s.deny {
			return ws.Close()
		}
		r := wire.NewReader("save", b[1:])
		r.VarString(10)
		return ws.WriteMessage(websocket.BinaryMessage, wire.AppendRaw(nil, fmt.Sprintf(`{"type":"save","responseTo":%d,"status":"success"}`, r.Uint())))
	}
	return nil
}

func (s *scripted) send(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ws.WriteMessage(websocket.BinaryMessage, frame); err != nil {
		s.t.Error(err)
	}
}

// restart makes it another server, with another document.
func (s *scripted) restart(t *testing.T, session string, sources ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.nb = session, ydoc.NewNotebook()
	for _, src := range sources {
		insert(t, s.nb, s.nb.Len(), src)
	}
}

// drop breaks the connection without a close frame.
func (s *scripted) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ws != nil {
		_ = s.ws.Close()
	}
}

func (s *scripted) received() []wire.FrameKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]wire.FrameKind(nil), s.got...)
}

// ends waits for the room's end and checks why.
func ends(t *testing.T, r *rtc.Room, code rtc.Code, action rtc.Action) {
	t.Helper()
	select {
	case <-r.Done():
	case <-time.After(patience):
		t.Fatalf("the room did not end; it is %v", r.State())
	}
	var end *rtc.CloseError
	if !errors.As(r.Err(), &end) || end.Code != code || end.Action != action {
		t.Errorf("ended with %v, want %q, %v", r.Err(), code, action)
	}
}

// A server applies what it is sent even where it is about to refuse us, so nothing but SYNC1 may be sent before its
// SYNC2.
func TestNothingButSync1BeforeSync2(t *testing.T) {
	s := newScripted(t, "x = 1")
	r, nb := join(t, s.client(), "a.ipynb")
	s.mu.Lock()
	s.hold = true
	s.mu.Unlock()
	s.drop()
	eventually(t, "connected again", func() bool { return r.State() == rtc.CatchingUp })
	insert(t, nb, 0, "while catching up")
	r.SetCursors(awareness.Cursor{Primary: true, Empty: true})
	eventually(t, "the server has heard of it", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.connections == 2 && len(s.got) > 0
	})
	time.Sleep(300 * time.Millisecond) // for anything that should not come
	if got := s.received(); len(got) != 1 || got[0] != wire.SyncStep1 {
		t.Fatalf("sent %v before SYNC2 came, want one SYNC1", got)
	}
	s.mu.Lock()
	s.hold = false
	diff, err := s.nb.Diff([]byte{0})
	s.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	s.send(wire.AppendSyncStep2(nil, diff))
	eventually(t, "the edit arrives", func() bool { return sources(s.nb) == "while catching up|x = 1" })
}

func TestOtherSessionIsDiscarded(t *testing.T) {
	s := newScripted(t, "x = 1")
	r, nb := join(t, s.client(), "a.ipynb")
	s.mu.Lock()
	s.session = "two"
	s.hold = true
	s.mu.Unlock()
	insert(t, nb, 0, "not confirmed")
	waiting := make(chan error, 1)
	go func() { waiting <- r.Barrier(t.Context()) }()
	eventually(t, "the barrier is asked for", func() bool {
		got := s.received()
		return got[len(got)-1] == wire.SyncStep1 && len(got) > 3
	})
	s.drop()
	ends(t, r, rtc.CodeSession, rtc.Discard)
	var end *rtc.CloseError
	if err := <-waiting; !errors.As(err, &end) || end.Action != rtc.Discard {
		t.Errorf("who waited was told %v, want that the room is to be discarded", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connections != 1 {
		t.Errorf("%d connections were made, want none in the other session", s.connections-1)
	}
}

// A room that has been rebuilt has other content under the same ids.
func TestForgottenHistoryIsDiscarded(t *testing.T) {
	s := newScripted(t, "x = 1")
	r, nb := join(t, s.client(), "a.ipynb")
	insert(t, nb, 0, "confirmed")
	if err := r.Barrier(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.nb = ydoc.NewNotebook()
	s.mu.Unlock()
	insert(t, s.nb, 0, "rebuilt")
	s.drop()
	ends(t, r, rtc.CodeHistory, rtc.Discard)
	if got := sources(s.nb); got != "rebuilt" {
		t.Errorf("the rebuilt room holds %q, want it untouched", got)
	}
}

func TestConflictIsDiscarded(t *testing.T) {
	s := newScripted(t, "x = 1")
	r, _ := join(t, s.client(), "a.ipynb")
	msg := `{"type":"conflict"}`
	s.send(append([]byte{2, byte(len(msg))}, msg...))
	ends(t, r, rtc.CodeConflict, rtc.Discard)
}

func TestSilentServerIsLost(t *testing.T) {
	s := newScripted(t, "x = 1")
	// A server that answers no pings either cannot be made with a websocket library, so pings are left out.
	r, _ := join(t, s.client(), "a.ipynb", func(c *rtc.Config) {
		c.Timing.Silence, c.Timing.Ping, c.Timing.BackoffMin = 200*time.Millisecond, time.Hour, time.Millisecond
	})
	eventually(t, "joined again after the silence", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.connections >= 2
	})
	eventually(t, "synced again", func() bool { return r.State() == rtc.Synced })
}

func TestPingsKeepAQuietRoom(t *testing.T) {
	t.Parallel()
	s := newScripted(t, "x = 1")
	// A silence that is longer than a busy machine may let a process wait.
	r, _ := join(t, s.client(), "a.ipynb", func(c *rtc.Config) {
		c.Timing.Silence, c.Timing.Ping = 4*time.Second, 50*time.Millisecond
	})
	time.Sleep(6 * time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connections != 1 || r.State() != rtc.Synced {
		t.Errorf("%d connections, state %v; want the first one to hold", s.connections, r.State())
	}
}

// The server takes an update that leaves a gap before it, and browsers then hold it back for ever; so whatever the
// connection does, each reaches the server after all that it builds on.
func TestEveryUpdateArrivesInOrder(t *testing.T) {
	s := newScripted(t, "x = 1") // ends the connection at an update with a gap, with ErrPending
	r, nb := join(t, s.client(), "a.ipynb", func(c *rtc.Config) { c.Timing.BackoffMin = time.Millisecond })
	const edits = 200
	for i := range edits {
		insert(t, nb, i, fmt.Sprint(i))
		if i%20 == 10 {
			s.drop() // with updates on their way
		}
		if i%50 == 25 {
			time.Sleep(20 * time.Millisecond) // connected again
		}
	}
	if err := r.Barrier(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := sources(s.nb), sources(nb); got != want || s.nb.Len() != edits+1 {
		t.Errorf("the server has %d cells, want %d:\n%s\n%s", s.nb.Len(), edits+1, got, want)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gap != nil {
		t.Errorf("an update came before one that it builds on: %v", s.gap)
	}
	if s.connections < 2 {
		t.Error("the connection was never lost")
	}
}

// A connection that is lost between the request for the last save and its answer is made again, and the save asked for
// once more.
func TestLeaveAsksAgainForItsSave(t *testing.T) {
	s := newScripted(t, "x = 1")
	s.deny = 1
	r, nb := join(t, s.client(), "a.ipynb", func(c *rtc.Config) { c.Timing.BackoffMin = time.Millisecond })
	insert(t, nb, 0, "last")
	if err := r.Leave(t.Context()); err != nil {
		t.Errorf("leave: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saves != 2 {
		t.Errorf("%d saves were asked for, want 2", s.saves)
	}
}
