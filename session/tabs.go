package session

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// tabsAgain is the pause before another check if the server did not answer.
const tabsAgain = time.Minute

// tabs records whether people's tabs are kept out of a server's rooms, or too old for them. That is a setting of the running
// server, so it is checked when a document is opened, and only once if the server answers.
type tabs struct {
	mu    sync.Mutex
	known bool
	fault faults.Fault
	next  time.Time // of the next check while not known
}

// look asks the server, unless it is known.
func (t *tabs) look(ctx context.Context, srv *jupyter.Server) {
	if srv == nil {
		return
	}
	t.mu.Lock()
	due := !t.known && !time.Now().Before(t.next)
	if due {
		t.next = time.Now().Add(tabsAgain) // also for concurrent opens
	}
	t.mu.Unlock()
	if !due {
		return
	}
	fault, err := srv.Health.CheckTabs(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.fault = err == nil, fault // without an answer it stays unknown
}

// note says that people's tabs are not in the room; "" if they are, as far as known.
func (t *tabs) note() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault.Code == "" {
		return ""
	}
	return t.fault.Error()
}
