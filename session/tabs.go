package session

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// tabsAgain is the pause before another look where the server did not say.
const tabsAgain = time.Minute

// tabs is whether people's tabs are kept out of a server's rooms, or too old for them. That is the server's setting while it runs, so it is
// looked for when a document is opened, and only once if the server answers.
type tabs struct {
	mu    sync.Mutex
	known bool
	fault faults.Fault
	next  time.Time // of the next look if it is not known
}

// look asks the server, unless it is known.
func (t *tabs) look(ctx context.Context, srv *jupyter.Server) {
	if srv == nil {
		return
	}
	t.mu.Lock()
	due := !t.known && !time.Now().Before(t.next)
	if due {
		t.next = time.Now().Add(tabsAgain) // also for those who open another meanwhile
	}
	t.mu.Unlock()
	if !due {
		return
	}
	fault, err := srv.Health.CheckTabs(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.fault = err == nil, fault // without an answer nothing is said of it
}

// note is for callers who take people's tabs for the room; "" if they are in it, as far as known.
func (t *tabs) note() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault.Code == "" {
		return ""
	}
	return t.fault.Error()
}
