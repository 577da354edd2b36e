package sessiontest

import (
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// socket is the part of a websocket that a person uses.
type socket interface {
	ReadMessage() (kind int, b []byte, err error)
	WriteMessage(kind int, b []byte) error
	Close() error
}

// binary is the kind of a binary message (RFC 6455, 11.8).
const binary = 2

// A Person is a person in a document's room: a bare socket that sends the test's messages, as an open tab would.
type Person struct {
	// Notebook is the person's replica: its edits are sent into the room.
	Notebook *ydoc.Notebook
	// Text is the replica of a text file, where Notebook is nil.
	Text *ydoc.Text
	// Seen has the other people and agents in the room, as the person sees them.
	Seen *awareness.Table
	// Heard counts the bytes that the person has received.
	Heard atomic.Int64

	answers atomic.Int64 // of the server, to sync steps 1
	asked   atomic.Int64

	t   *testing.T
	ws  socket
	doc *ydoc.Doc
	wg  sync.WaitGroup

	mu sync.Mutex // of writes
}

// PersonIn lets a person open a notebook until the test ends.
func PersonIn(t *testing.T, srv *jupyter.Server, path string) *Person {
	t.Helper()
	nb := ydoc.NewNotebook()
	p := &Person{Notebook: nb}
	p.joins(t, srv, path, "json", "notebook", nb.Doc)
	Eventually(t, "the person sees the notebook", func() bool { return nb.Len() > 0 })
	return p
}

// PersonInText lets a person open a text file, which is not empty, until the test ends.
func PersonInText(t *testing.T, srv *jupyter.Server, path string) *Person {
	t.Helper()
	text := ydoc.NewText()
	p := &Person{Text: text}
	p.joins(t, srv, path, "text", "file", text.Doc)
	Eventually(t, "the person sees the text", func() bool { return text.Len() > 0 })
	return p
}

func (p *Person) joins(t *testing.T, srv *jupyter.Server, path, format, kind string, doc *ydoc.Doc) {
	t.Helper()
	s, err := srv.Rooms.Session(t.Context(), jupyter.MustPath(path), format, kind)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := srv.Rooms.Dial(t.Context(), s.RoomID(), s.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	p.t, p.ws, p.doc = t, ws, doc
	p.Seen = awareness.NewTable(doc.ClientID())
	p.ask()
	p.wg.Go(p.read)
	t.Cleanup(func() {
		p.Leave()
		p.wg.Wait()
	})
	doc.OnUpdate(func(u []byte) { p.Send(wire.AppendUpdate(nil, u)) })
}

// Leave closes the person's socket without a message, as a closed tab does.
func (p *Person) Leave() { _ = p.ws.Close() }

// Send sends one message into the room.
func (p *Person) Send(frame []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ws.WriteMessage(binary, frame); err != nil {
		p.t.Errorf("a person cannot speak: %v", err)
	}
}

// ask sends a sync step 1, and returns how many the person has sent.
func (p *Person) ask() int64 {
	asked := p.asked.Add(1)
	p.Send(wire.AppendSyncStep1(nil, []byte{0}))
	return asked
}

// Reaches waits until the server has read all that the person has sent so far, which it answers in order.
func (p *Person) Reaches() {
	p.t.Helper()
	asked := p.ask()
	for end := time.Now().Add(Timeout); p.answers.Load() < asked; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			p.t.Errorf("the server has not answered a person within %v", Timeout)
			return
		}
	}
}

func (p *Person) read() {
	synced := false
	for {
		_, b, err := p.ws.ReadMessage()
		if err != nil {
			return
		}
		p.Heard.Add(int64(len(b)))
		f, err := wire.ParseFrame(b, wire.DefaultLimits)
		if err != nil {
			p.t.Errorf("a person was sent %v", err)
			return
		}
		switch f.Kind {
		case wire.SyncStep2, wire.Update:
			err = p.doc.Apply(f.Payload)
			if f.Kind == wire.SyncStep2 {
				p.answers.Add(1)
			}
			if synced = synced || f.Kind == wire.SyncStep2; !synced && errors.Is(err, ydoc.ErrPending) {
				err = nil // passed on before the answer to step 1, on which it builds; it is held back until then
			}
		case wire.Awareness:
			_, err = p.Seen.Apply(f.Payload, time.Now())
		}
		if err != nil {
			p.t.Errorf("a person was sent %v", err)
			return
		}
	}
}

// Show announces an awareness state.
func (p *Person) Show(state any) {
	p.t.Helper()
	u, err := p.Seen.SetLocal(state)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Send(wire.AppendAwareness(nil, u))
}

// Caret returns the "cursors" of a tab's awareness state with its caret at a place, a relative position.
func Caret(at json.RawMessage) []any {
	return []any{map[string]any{"anchor": at, "head": at, "primary": true, "empty": true}}
}
