package kernels

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// kernel is a kernel of the table: its state in the server, its sockets, and its current process.
type kernel struct {
	table         *Table
	id, name, cwd string

	mu       sync.Mutex
	state    string
	activity time.Time
	sessions map[string]*socket // by session, connected or connecting
	sockets  []*socket          // connected
	buffer   *buffer            // messages while no client is connected, nil while one is
	process  *process
	ended    bool // shut down
	restarts int  // consecutive automatic restarts
	asked    int  // requests made by the server itself
	waiting  []waiting
}

// waiting is a client's message that came while the kernel had no process.
type waiting struct {
	session string
	message *message
}

// buffer keeps messages for the session whose socket was the last.
type buffer struct {
	session  string
	messages []*message
}

func newKernel(t *Table, id, name, cwd string) *kernel {
	return &kernel{table: t, id: id, name: name, cwd: cwd, state: "starting", activity: time.Now(), sessions: map[string]*socket{}}
}

// language returns the kernelspec's language.
func (k *kernel) language() string { return k.table.specs.Specs[k.name].Spec.Language }

func (k *kernel) model() Model {
	k.mu.Lock()
	defer k.mu.Unlock()
	return Model{ID: k.id, Name: k.name, LastActivity: stamp(k.activity), ExecutionState: k.state, Connections: len(k.sockets)}
}

// untracked are the requests that are not user activity.
const untracked = " comm_info_request kernel_info_request shutdown_request interrupt_request debug_request input_reply "

// track updates the kernel's state from a message on iopub, as the server does; k.mu is held.
func (k *kernel) track(m *message) {
	var parent struct {
		Type string `json:"msg_type"`
	}
	_ = json.Unmarshal(m.parent, &parent) // without a type it has no sender
	tracked := parent.Type == "" || !strings.Contains(untracked, " "+parent.Type+" ")
	if tracked || k.state == "busy" {
		k.activity = time.Now()
	}
	if m.kind != "status" {
		return
	}
	var content struct {
		State string `json:"execution_state"`
	}
	_ = json.Unmarshal(m.content, &content) // our own status message
	switch {
	case tracked:
		k.state = content.State
	case k.state == "starting" && content.State != "starting":
		k.state = "idle"
	}
}

// publish sends a message of a process to all sockets. Messages of a dead process are dropped.
func (k *kernel) publish(p *process, m *message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.process != p {
		return
	}
	k.track(m)
	for _, s := range k.sockets {
		s.enqueue(m)
	}
	if k.buffer != nil {
		k.buffer.messages = append(k.buffer.messages, m)
	}
}

// reply sends a message of a process to the socket of a session, if there is one.
func (k *kernel) reply(p *process, session string, m *message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.process != p {
		return
	}
	for _, s := range k.sockets {
		if s.session == session {
			s.enqueue(m)
			return
		}
	}
	if k.buffer != nil && k.buffer.session == session {
		k.buffer.messages = append(k.buffer.messages, m)
	}
}

// receive handles a client's message.
func (k *kernel) receive(session string, m *message) {
	k.mu.Lock()
	p := k.process
	if p == nil && !k.ended {
		k.waiting = append(k.waiting, waiting{session, m})
	}
	k.mu.Unlock()
	if p != nil {
		p.receive(session, m)
	}
}

// serve connects a client. It first closes an older socket of the same session, and waits until the kernel is ready.
func (k *kernel) serve(w http.ResponseWriter, r *http.Request) {
	s := &socket{kernel: k, session: r.URL.Query().Get("session_id"), wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.limit = limiter{messages: k.table.config.MessageRate, data: k.table.config.DataRate}
	if s.session == "" {
		s.session = newUUID()
	}
	k.register(s)
	defer k.disconnect(s)
	if !k.ready(r.Context()) {
		http.Error(w, "the kernel does not start", http.StatusInternalServerError)
		return
	}
	up := upgrader
	if k.table.config.JSONOnly {
		up.Subprotocols = nil
	}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	s.ws = ws
	s.lastPong.Store(time.Now().UnixNano())
	k.connect(s)
	k.table.begin(s.write)
	if k.table.ctx.Err() != nil {
		s.drop()
	}
	s.read()
}

// register assigns a session to a socket and closes its former one.
func (k *kernel) register(s *socket) {
	k.mu.Lock()
	old := k.sessions[s.session]
	k.sessions[s.session] = s
	k.mu.Unlock()
	if old != nil {
		k.disconnect(old)
		old.close()
	}
}

// ready waits until the kernel has a process that answers, and reports whether it has.
func (k *kernel) ready(ctx context.Context) bool {
	for {
		k.mu.Lock()
		p, ended := k.process, k.ended
		k.mu.Unlock()
		if ended {
			return false
		}
		if p == nil { // dead: the server retries
			if !k.pause(ctx, 100*time.Millisecond) {
				return false
			}
			continue
		}
		select {
		case <-p.ready:
			return true
		case <-p.ended:
		case <-ctx.Done():
			return false
		case <-k.table.ctx.Done():
			return false
		}
		if !k.pause(ctx, 100*time.Millisecond) {
			return false
		}
	}
}

func (k *kernel) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-k.table.ctx.Done():
	}
	return false
}

// connect adds a socket. It gets the messages buffered for its session, and those of the requests by which the server
// checks that a kernel answers, unless the kernel is busy.
func (k *kernel) connect(s *socket) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sessions[s.session] != s {
		return // another socket has the session now
	}
	kept := k.buffer
	k.buffer = nil
	others := slices.Clone(k.sockets)
	k.sockets = append(k.sockets, s)
	if kept != nil && kept.session == s.session {
		for _, m := range kept.messages {
			s.enqueue(m)
		}
	}
	if k.state == "busy" || k.process == nil {
		return
	}
	control, shell := k.ask(s.session, "kernel_info_request"), k.ask(s.session, "kernel_info_request")
	for i, m := range []*message{
		k.process.status("busy", control), k.process.status("busy", shell), k.process.status("idle", shell), k.process.status("idle", control),
	} {
		k.track(m)
		for _, o := range others {
			o.enqueue(m)
		}
		if i != 1 {
			s.enqueue(m)
		}
	}
}

// ask makes the header of a request from the server itself; k.mu is held.
func (k *kernel) ask(session, kind string) json.RawMessage {
	k.asked++
	return newMessage(session, serverPID, k.asked, "shell", kind, json.RawMessage("{}"), nil).header
}

// disconnect removes a socket. After the last one, messages are buffered for its session.
func (k *kernel) disconnect(s *socket) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sessions[s.session] == s {
		delete(k.sessions, s.session)
	}
	i := slices.Index(k.sockets, s)
	if i < 0 {
		return
	}
	k.sockets = slices.Delete(k.sockets, i, i+1)
	if len(k.sockets) == 0 && !k.ended {
		k.buffer = &buffer{session: s.session}
	}
}

func (k *kernel) dropSockets() {
	k.mu.Lock()
	list := slices.Clone(k.sockets)
	k.mu.Unlock()
	for _, s := range list {
		s.drop()
	}
}
