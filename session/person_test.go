package session_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// socket is what a person needs of a websocket.
type socket interface {
	ReadMessage() (kind int, b []byte, err error)
	WriteMessage(kind int, b []byte) error
	Close() error
}

// binary is the kind of a binary message (RFC 6455, 11.8).
const binary = 2

// person is somebody in a notebook's room who is no agent: a bare socket that says what the test lets it say, as an
// open tab would.
type person struct {
	t     *testing.T
	nb    *ydoc.Notebook
	table *awareness.Table
	ws    socket
	wg    sync.WaitGroup

	mu sync.Mutex // of writes
}

// personIn lets a person open a notebook.
func personIn(t *testing.T, srv *jupyter.Server, path string) *person {
	t.Helper()
	s, err := srv.CollaborationSession(t.Context(), path, "json", "notebook")
	if err != nil {
		t.Fatal(err)
	}
	ws, err := srv.DialRoom(t.Context(), s.RoomID(), s.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, nb: ydoc.NewNotebook(), ws: ws}
	p.table = awareness.NewTable(p.nb.ClientID())
	p.send(wire.AppendSyncStep1(nil, []byte{0}))
	p.wg.Go(p.read)
	t.Cleanup(func() {
		_ = ws.Close()
		p.wg.Wait()
	})
	sessiontest.Eventually(t, "the person sees the notebook", func() bool { return p.nb.Len() > 0 })
	p.nb.OnUpdate(func(u []byte) { p.send(wire.AppendUpdate(nil, u)) })
	return p
}

func (p *person) send(frame []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ws.WriteMessage(binary, frame); err != nil {
		p.t.Errorf("a person cannot speak: %v", err)
	}
}

func (p *person) read() {
	for {
		_, b, err := p.ws.ReadMessage()
		if err != nil {
			return
		}
		f, err := wire.ParseFrame(b, wire.DefaultLimits)
		if err != nil {
			p.t.Errorf("a person was sent %v", err)
			return
		}
		switch f.Kind {
		case wire.SyncStep2, wire.Update:
			err = p.nb.Apply(f.Payload)
		case wire.Awareness:
			_, err = p.table.Apply(f.Payload, time.Now())
		}
		if err != nil {
			p.t.Errorf("a person was sent %v", err)
			return
		}
	}
}

// show announces an awareness state.
func (p *person) show(state any) {
	p.t.Helper()
	u, err := p.table.SetLocal(state)
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(wire.AppendAwareness(nil, u))
}

// python runs a script of testdata in the environment that Jupyter is in.
func python(t *testing.T, script string, stdin []byte) []byte {
	t.Helper()
	jup := os.Getenv("NBDUET_JUPYTER")
	if jup == "" {
		jup = filepath.Join("..", ".venv", "bin", "jupyter")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(jup), "python"), filepath.Join("testdata", script))
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, stderr.Bytes())
	}
	return bytes.TrimSpace(out)
}

// insertPlainCell puts a cell into the room that the server cannot write.
func (p *person) insertPlainCell() {
	p.t.Helper()
	state, err := p.nb.Diff([]byte{0})
	if err != nil {
		p.t.Fatal(err)
	}
	out := python(p.t, "plain_cell.py", []byte(base64.StdEncoding.EncodeToString(state)))
	update, err := base64.StdEncoding.DecodeString(string(out))
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(wire.AppendUpdate(nil, update))
}
