package lease

import (
	"context"
	"maps"
	"time"

	"github.com/nbduet/nbduet/session/collab/mentions"
)

const (
	// lookEvery is how often claims are checked while mentions are unanswered. idleEvery applies while all are answered: they
	// are claimed when another process joins that may deliver them too.
	lookEvery = time.Second
	idleEvery = 5 * time.Second
	// restFor is how long successive changes of the book are collected.
	restFor = 100 * time.Millisecond
)

// Run keeps the claims and the book in step until the context ends: mentions taken and answered here are claimed, also in a
// room that is rejoined, and mentions that other processes took, answered or released are noted in the book.
func (c *Leases) Run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		changed := c.book.Changed() // before looking
		if every := c.look(); every > 0 {
			timer.Reset(every)
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
			timer.Reset(restFor)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
		case <-timer.C:
		}
	}
}

// look brings the claims and the book in step, and returns when to do it again; 0 if only when the book changes.
func (c *Leases) look() (again time.Duration) {
	there := map[string]bool{}
	for _, id := range c.book.All() {
		s, ok := c.step(id)
		switch {
		case !ok:
			continue
		case !s.Answered:
			again = lookEvery
		case again == 0:
			again = idleEvery
		}
		there[id] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.seen, func(id string, _ State) bool { return !there[id] })
	return again
}

// step brings one mention in step with its claims, and returns its standing; false if it no longer exists.
func (c *Leases) step(id string) (s mentions.Standing, ok bool) {
	c.writing.Lock() // a mention claimed from here on is marked as deciding
	defer c.writing.Unlock()
	if s, ok = c.book.Standing(id); !ok || s.Deciding || s.Answered && !s.Ours() {
		return s, ok
	}
	p, of, joined := c.place(s.Mention)
	switch {
	case !joined:
	case s.Ours():
		c.tell(p, of, s.Answered)
	default:
		c.hear(p, of, s)
	}
	return s, ok
}

// tell claims a mention that this process has. A claim that is needed is renewed before it is old.
func (c *Leases) tell(p Place, of string, answered bool) {
	now := record{of: of, process: c.process, Replica: replicaOf(p), Final: true, Answered: answered}
	own, claimed := c.own(p, of)
	if !claimed && p.present().alone() {
		return
	}
	now.At = own.At
	if now == own && time.Since(own.At) < keptFor/2 {
		return
	}
	now.At = time.Now()
	_ = c.put(p, now) // on failure the next look retries
}

// hear notes how other processes have dealt with a mention that this process does not have.
func (c *Leases) hear(p Place, of string, s mentions.Standing) {
	if own, claimed := c.own(p, of); claimed {
		_ = c.remove(p, own) // it was released
	}
	others := c.others(p, of)
	switch {
	case len(others) > 0 && (s.Taken == "" || others[0].Answered):
		c.note(s.ID, p.State)
		c.book.Lose(s.ID, s.Taken, others[0].Answered)
	case len(others) > 0:
		c.note(s.ID, p.State)
	case s.Taken == mentions.Elsewhere && c.gone(s.ID, p):
		c.book.Release(s.ID)
	}
}

// own returns the claim of this process.
func (c *Leases) own(p Place, of string) (own record, ok bool) {
	key := record{of: of, process: c.process}.key()
	for _, one := range recordsIn(p.StateEntries(key)) {
		if one.key() == key {
			return one, true
		}
	}
	return own, false
}

// gone reports whether a mention of another process is free, given that it is not claimed. After a room is rejoined,
// that process must first come back and claim it again.
func (c *Leases) gone(id string, p Place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[id] == p.State || p.present().known
}
