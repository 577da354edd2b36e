package rtc_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// handshakes imitates the handshakes of a jupyter-server-documents room: each SYNC1 is answered with SYNC2 and, a
// little later, the server's own SYNC1.
type handshakes struct {
	t    *testing.T
	done chan struct{} // closed when the first connection has ended

	mu      sync.Mutex
	nb      *ydoc.Notebook
	ws      *websocket.Conn
	waiting bool // for a SYNC2
	mute    bool // accepts frames but sends nothing
}

func newHandshakes(t *testing.T, sources ...string) (*handshakes, *jupyter.Server) {
	h := &handshakes{t: t, nb: ydoc.NewNotebook(), done: make(chan struct{})}
	for _, src := range sources {
		insert(t, h.nb, h.nb.Len(), src)
	}
	at := jupytertest.At(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/fileid/index":
			answer(w, map[string]any{"id": "file", "path": "a.ipynb"})
		case r.URL.Path == "/api/collaboration/room/json:notebook:file":
			h.room(w, r)
		case strings.HasPrefix(r.URL.Path, "/api/contents/"):
			answer(w, map[string]any{"name": "a.ipynb", "path": "a.ipynb", "type": "notebook"})
		default:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	srv, err := jupyter.New(jupyter.Options{URL: at.URL, Token: "token", HTTPClient: at.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return h, srv
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}

func (h *handshakes) room(w http.ResponseWriter, r *http.Request) {
	ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer close(h.done)
	defer func() { _ = ws.Close() }()
	h.mu.Lock()
	h.ws = ws
	h.mu.Unlock()
	for err == nil {
		var b []byte
		if _, b, err = ws.ReadMessage(); err == nil {
			err = h.take(ws, b)
		}
	}
}

func (h *handshakes) take(ws *websocket.Conn, b []byte) error {
	f, err := wire.ParseFrame(b, wire.DefaultLimits)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch f.Kind {
	case wire.SyncStep1:
		if h.mute {
			return nil
		}
		diff, err := h.nb.Diff(f.Payload)
		if err != nil {
			return err
		}
		sv, err := h.nb.StateVector()
		if err != nil {
			return err
		}
		h.waiting = true
		err = ws.WriteMessage(websocket.BinaryMessage, wire.AppendSyncStep2(nil, diff))
		time.Sleep(20 * time.Millisecond) // a client that does not wait has left by then
		return errors.Join(err, ws.WriteMessage(websocket.BinaryMessage, wire.AppendSyncStep1(nil, sv)))
	case wire.SyncStep2, wire.Update:
		h.waiting = h.waiting && f.Kind != wire.SyncStep2
		return h.nb.Apply(f.Payload)
	case wire.Raw:
		h.t.Error("it was asked for what it does not know")
	}
	return nil
}

// A server that waits for an answer accepts nothing from any client, so no client may leave without answering.
func TestServerDocumentsIsNotLeftWaiting(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		h, srv := newHandshakes(t, "x = 1")
		r, nb := join(t, srv, "a.ipynb")
		insert(t, nb, 1, "y = 2")
		if err := r.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-h.done
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.waiting {
			t.Error("its last SYNC1 was not answered")
		}
		if got := sources(h.nb); got != sources(nb) {
			t.Errorf("it has %q", got)
		}
	})
}

// Nothing shows whether such a room still has the same history. So a lost connection ends it, and the outcome of
// unconfirmed edits is unknown.
func TestServerDocumentsLostIsDiscarded(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		h, srv := newHandshakes(t, "x = 1")
		r, nb := join(t, srv, "a.ipynb")
		h.mu.Lock()
		h.mute = true
		h.mu.Unlock()
		insert(t, nb, 1, "y = 2")
		barrier := make(chan error, 1)
		go func() { barrier <- r.Barrier(t.Context()) }()
		eventually(t, "the edit is there", func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return sources(h.nb) == sources(nb)
		})
		h.mu.Lock()
		_ = h.ws.Close()
		h.mu.Unlock()
		ends(t, r, rtc.CodeConnection, rtc.Discard)
		var end *rtc.CloseError
		err := <-barrier
		must.True(t, errors.As(err, &end))
		test.True(t, end.Unsure)
	})
}
