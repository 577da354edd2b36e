package fake

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Faults are the faults that a test can inject into requests. The rooms have their own faults, see [Server.Rooms].
type Faults struct {
	server *Server

	mu      sync.Mutex
	armed   []*Fault
	hung    bool
	release chan struct{} // closed when hung ends
}

// Fault is a fault of the next requests of a kind.
type Fault struct {
	method, prefix string
	times          int32 // negative: always
	do             func(w http.ResponseWriter, r *http.Request) (answered bool)
	count          atomic.Int32
}

// Count returns how many requests of its kind have come since, with or without the fault.
func (f *Fault) Count() int { return int(f.count.Load()) }

// arm injects a fault into the next times requests with this method (any if empty) whose escaped path, below the base
// URL, has this prefix.
func (f *Faults) arm(times int, method, prefix string, do func(w http.ResponseWriter, r *http.Request) bool) *Fault {
	fault := &Fault{method: method, prefix: prefix, times: int32(times), do: do}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = append(f.armed, fault)
	return fault
}

// AnswerNext answers requests with a status, and does nothing else for them.
func (f *Faults) AnswerNext(times int, method, prefix string, status int) *Fault {
	return f.arm(times, method, prefix, func(w http.ResponseWriter, r *http.Request) bool {
		_, _ = io.Copy(io.Discard, r.Body) // the client may have disconnected
		refuse(w, status, http.StatusText(status))
		return true
	})
}

// ResetNext resets the connections of requests.
func (f *Faults) ResetNext(times int, method, prefix string) *Fault {
	return f.arm(times, method, prefix, func(w http.ResponseWriter, _ *http.Request) bool {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err) // tests use net/http's server with HTTP/1
		}
		if abort, ok := c.(interface{ SetLinger(seconds int) error }); ok {
			_ = abort.SetLinger(0) // the closed connection shows it
		}
		_ = c.Close()
		return true
	})
}

// HangNext never answers requests.
func (f *Faults) HangNext(times int, method, prefix string) *Fault {
	return f.arm(times, method, prefix, func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = io.Copy(io.Discard, r.Body) // then the end of the connection can be detected
		<-r.Context().Done()
		return true
	})
}

// Delay delays the handling of all requests of a kind.
func (f *Faults) Delay(method, prefix string, by time.Duration) *Fault {
	return f.arm(-1, method, prefix, func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-time.After(by):
			return false
		case <-r.Context().Done():
			return true
		}
	})
}

// Hang stops the server's answers until it is switched off, like a suspended process; pending requests are answered
// then. [rooms.Table.Mute] does so for rooms.
func (f *Faults) Hang(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case on && !f.hung:
		f.hung, f.release = true, make(chan struct{})
	case !on && f.hung:
		f.hung = false
		close(f.release)
	}
}

// Restart brings the server into the state after a restart of its process: its kernels and their sessions are gone,
// also its rooms with all changes that were not yet being saved, and it has another session id. Clients with an old
// id are accepted if known is set, like a server that finds its session file.
func (s *Server) Restart(known bool) {
	s.identity.renew(known)
	now := time.Now()
	s.started.Store(&now)
	s.Rooms.Restart()
	s.kernels.Reset()
	s.dropDead()
}

// intercept applies the faults of a request, and reports whether one of them has answered it.
func (f *Faults) intercept(w http.ResponseWriter, r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.EscapedPath(), f.server.base())
	f.mu.Lock()
	var release chan struct{}
	if f.hung {
		release = f.release
	}
	var now []*Fault
	for _, fault := range f.armed {
		if (fault.method == "" || fault.method == r.Method) && strings.HasPrefix(path, fault.prefix) {
			if n := fault.count.Add(1); fault.times < 0 || n <= fault.times {
				now = append(now, fault)
			}
		}
	}
	f.mu.Unlock()
	if release != nil {
		select {
		case <-release:
		case <-r.Context().Done():
			return true
		}
	}
	for _, fault := range now {
		if fault.do(w, r) {
			return true
		}
	}
	return false
}
