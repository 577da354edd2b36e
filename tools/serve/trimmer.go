package serve

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// largeMessage is from how many bytes on a message's memory is given back soon.
	largeMessage = 4 << 20
	// trimAfter is how long after such a message has been served. What follows in that time is given back with it.
	trimAfter = 3 * time.Second
)

// A Trimmer gives the memory that large messages took back to the machine. An idle program collects no garbage for
// minutes, and a message takes several times its length while it is read. The zero value is ready for use.
type Trimmer struct {
	mu      sync.Mutex
	waits   *time.Timer // nil if nothing is due
	closed  bool
	running sync.WaitGroup
}

// Served tells that a message of that many bytes has been served, so that nothing holds it any more.
func (t *Trimmer) Served(bytes int) {
	if bytes < largeMessage {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waits != nil || t.closed {
		return
	}
	t.running.Add(1)
	t.waits = time.AfterFunc(trimAfter, t.trim)
}

func (t *Trimmer) trim() {
	defer t.running.Done()
	t.mu.Lock()
	t.waits = nil // what is served from now on is for the next time
	t.mu.Unlock()
	runtime.GC()         // pools keep what they hold for one collection
	debug.FreeOSMemory() // collects once more
}

// Close ends it; it waits for a collection in progress.
func (t *Trimmer) Close() {
	t.mu.Lock()
	t.closed = true
	if t.waits != nil && t.waits.Stop() {
		t.running.Done()
	}
	t.mu.Unlock()
	t.running.Wait()
}
