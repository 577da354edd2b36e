package chat

import "sync"

// maxQueued is how many events wait for a slow Config.Heard; beyond it the oldest are dropped.
const maxQueued = 10_000

// events queues the events that Config.Heard has not yet been called for.
type events struct {
	wake chan struct{}

	mu     sync.Mutex
	queued []Event
}

func newEvents() events { return events{wake: make(chan struct{}, 1)} }

// put queues further events. It does not wait: the replica that they come from is locked.
func (q *events) put(further []Event) {
	if len(further) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued = append(q.queued, further...)
	q.queued = q.queued[max(0, len(q.queued)-maxQueued):]
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *events) take() []Event {
	q.mu.Lock()
	defer q.mu.Unlock()
	queued := q.queued
	q.queued = nil
	return queued
}

// deliver calls Config.Heard for the chat's events until the chat has ended, and then for the remaining ones.
func (c *Chat) deliver() {
	for last := false; !last; {
		select {
		case <-c.events.wake:
		case <-c.done:
			last = true
		}
		for _, e := range c.events.take() {
			c.k.cfg.Heard(c, e)
		}
	}
}
