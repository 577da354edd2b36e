package kernel

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// fakeServer replaces a Jupyter server: its kernel does what a test requests, for behaviour that a real one shows only by
// chance.
type fakeServer struct {
	t   testing.TB
	srv *jupyter.Server

	mu    sync.Mutex
	state string // the state of the kernel in REST; "" for 404
	asked int    // how often it was queried
	lost  bool   // the server does not reach the gateway of its kernels
	deaf  bool   // that gateway accepts requests and answers none

	sockets chan *fakeSocket
	mute    bool // the kernel sends nothing by itself; set it before a socket is dialled
}

// fakeSocket is one channels socket, from the kernel's side.
type fakeSocket struct {
	t    testing.TB
	ws   *websocket.Conn
	done chan struct{} // closed when the test is over

	writing sync.Mutex
}

func newFakeServer(t testing.TB) *fakeServer {
	f := &fakeServer{t: t, state: StateIdle, sockets: make(chan *fakeSocket, 8)}
	over := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/kernels/k", func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		state := f.state
		f.asked++
		f.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if state == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "k", "execution_state": state})
	})
	mux.HandleFunc("GET /api", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"version": "2.21.1"})
	})
	mux.HandleFunc("GET /api/kernels", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		lost, deaf := f.lost, f.deaf
		f.mu.Unlock()
		switch {
		case lost && deaf:
			<-r.Context().Done()
			return
		case !lost:
			http.NotFound(w, nil) // only the tests use it
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(map[string]any{"message": "ConnectionError was received from Gateway server url '%s'."})
	})
	up := websocket.Upgrader{Subprotocols: []string{jupyter.KernelProtocol}}
	mux.HandleFunc("GET /api/kernels/k/channels", func(w http.ResponseWriter, r *http.Request) {
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		s := &fakeSocket{t: t, ws: ws, done: over}
		if !f.mute && !s.greet() {
			return // the client has left already
		}
		select {
		case f.sockets <- s:
			<-over
		case <-over:
		}
	})
	hs := jupytertest.At(t, mux)
	srv, err := jupyter.New(jupyter.Options{URL: hs.URL, HTTPClient: hs.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	f.srv = srv
	t.Cleanup(func() {
		close(over)
		srv.CloseIdleConnections()
	})
	return f
}

func (f *fakeServer) rest(state string) {
	f.mu.Lock()
	f.state = state
	f.mu.Unlock()
}

// gateway sets whether the server reaches the gateway of its kernels. The kernel's state stays the same.
func (f *fakeServer) gateway(reached bool) {
	f.mu.Lock()
	f.lost = !reached
	f.mu.Unlock()
}

// receive reads the next request; info requests are skipped.
func (s *fakeSocket) receive() incoming {
	s.t.Helper()
	for {
		m := s.receiveAny()
		if m.channel != "control" {
			return m
		}
	}
}

func (s *fakeSocket) receiveAny() incoming {
	s.t.Helper()
	_ = s.ws.SetReadDeadline(time.Now().Add(testTimeout))
	frameType, frame, err := s.ws.ReadMessage()
	if err != nil {
		s.t.Errorf("the kernel's side cannot read: %v", err)
		return incoming{}
	}
	m, err := binaryCodec{}.decode(frameType, frame)
	if err != nil {
		s.t.Error(err)
	}
	return m
}

// send sends a message that belongs to a request.
func (s *fakeSocket) send(channel, msgType string, parent incoming, content any) {
	s.t.Helper()
	m := newOutgoing(channel, header{ID: randomID(), Type: msgType, Session: "kernel"}, parent.rawHeader, content)
	s.raw(binaryCodec{}.encode(m))
}

func (s *fakeSocket) raw(frameType int, frame []byte) {
	s.t.Helper()
	if err := s.write(frameType, frame); err != nil {
		s.t.Errorf("the kernel's side cannot write: %v", err)
	}
}

func (s *fakeSocket) write(frameType int, frame []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.ws.WriteMessage(frameType, frame)
}

// greet sends the kernel's state, as a kernel does unasked, and reports whether the client was still connected: it may have
// left once the socket was open.
func (s *fakeSocket) greet() bool {
	s.t.Helper()
	m := newOutgoing("iopub", header{ID: randomID(), Type: "status", Session: "kernel"},
		[]byte(`{"msg_id":"somebody else's"}`), map[string]any{"execution_state": StateIdle})
	return s.write(binaryCodec{}.encode(m)) == nil
}

// run answers an execute request that succeeds without output.
func (s *fakeSocket) run(req incoming) {
	s.t.Helper()
	s.status(StateBusy, req)
	s.send("shell", "execute_reply", req, map[string]any{"status": "ok"})
	s.status(StateIdle, req)
}

func (s *fakeSocket) status(state string, parent incoming) {
	s.send("iopub", "status", parent, map[string]any{"execution_state": state})
}
