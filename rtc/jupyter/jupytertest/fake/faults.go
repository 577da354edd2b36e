package fake

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Faults are what a test may have the server do wrong with requests, each by its name. The rooms have faults of their own,
// see [Server.Rooms].
type Faults struct {
	server *Server

	mu      sync.Mutex
	armed   []*Fault
	hung    bool
	release chan struct{} // closed when it is not hung any more
}

// Fault is something that goes wrong with the next requests of a kind.
type Fault struct {
	method, prefix string
	times          int32 // below 0: always
	do             func(w http.ResponseWriter, r *http.Request) (answered bool)
	count          atomic.Int32
}

// Count is how many requests of its kind have come since, whether it went wrong with them or not.
func (f *Fault) Count() int { return int(f.count.Load()) }

// arm has something go wrong with the next so many requests whose method is this one, or any where it is empty, and whose
// path, below the base URL and as it is written, begins so.
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
		_, _ = io.Copy(io.Discard, r.Body) // the client may have gone
		refuse(w, status, http.StatusText(status))
		return true
	})
}

// ResetNext resets the connections of requests.
func (f *Faults) ResetNext(times int, method, prefix string) *Fault {
	return f.arm(times, method, prefix, func(w http.ResponseWriter, _ *http.Request) bool {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err) // the server of a test is one of net/http's, for HTTP/1
		}
		if abort, ok := c.(interface{ SetLinger(seconds int) error }); ok {
			_ = abort.SetLinger(0) // the end of the connection says it
		}
		_ = c.Close()
		return true
	})
}

// HangNext never answers requests.
func (f *Faults) HangNext(times int, method, prefix string) *Fault {
	return f.arm(times, method, prefix, func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = io.Copy(io.Discard, r.Body) // after it the end of the connection is seen
		<-r.Context().Done()
		return true
	})
}

// Delay makes all requests of a kind wait before they are looked at.
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

// Hang stops the server's answers to requests until it is undone, as for a process that was stopped; what comes meanwhile
// is answered then. [rooms.Table.Mute] does so for rooms.
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

// Restart makes the server what it is after a restart of its process: its kernels and their sessions are gone, its rooms
// too, with what was not yet being saved, and it has another session id. Clients that come with an old one are let in if
// known says so, as a server does that finds its file of sessions.
func (s *Server) Restart(known bool) {
	s.identity.renew(known)
	now := time.Now()
	s.started.Store(&now)
	s.Rooms.Restart()
	s.kernels.Reset()
	s.dropDead()
}

// intercept does what is wanted wrong of a request, and reports whether it is answered by that.
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
