package serve

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// largeMessage is the size in bytes from which a message's memory is released soon.
	largeMessage = 4 << 20
	// trimAfter is the delay after such a message was served. The memory of messages served meanwhile is released with it.
	trimAfter = 3 * time.Second
)

// A Trimmer returns the memory used by large messages to the system. An idle program collects no garbage for minutes, and
// reading a message takes several times its length in memory. The zero value is ready for use.
type Trimmer struct {
	mu      sync.Mutex
	waits   *time.Timer // nil if no trim is scheduled
	closed  bool
	running sync.WaitGroup
}

// Served schedules a trim if a served message of that many bytes is large. Call it once the message is no longer used.
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
	t.waits = nil // messages served from now on schedule another trim
	t.mu.Unlock()
	runtime.GC()         // pools keep their values for one collection
	debug.FreeOSMemory() // collects again
}

// Close stops the trimmer; it waits for a collection in progress.
func (t *Trimmer) Close() {
	t.mu.Lock()
	t.closed = true
	if t.waits != nil && t.waits.Stop() {
		t.running.Done()
	}
	t.mu.Unlock()
	t.running.Wait()
}
