package lease

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/collab/mentions"
)

// Leases manages the claims of one process.
type Leases struct {
	process string
	book    *mentions.Book
	writing sync.Mutex // guards writes of decided claims, and the first write of an undecided one

	mu     sync.Mutex
	places []func(mentions.Mention) (Place, bool)
	seen   map[string]State // where another process was seen to have a mention
}

// New returns the claims of a process. Its name is the username of all clients shown for it, or the prefix of their
// usernames.
func New(process string, book *mentions.Book) *Leases {
	return &Leases{process: process, book: book, seen: map[string]State{}}
}

// In adds a function that finds the place of a mention. It returns false for mentions that it does not cover, and while the
// room is not joined.
func (c *Leases) In(find func(mentions.Mention) (Place, bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places = append(c.places, find)
}

// place returns where a mention is claimed.
func (c *Leases) place(m mentions.Mention) (p Place, of string, ok bool) {
	c.mu.Lock()
	places := c.places
	c.mu.Unlock()
	if of = subject(m); of == "" {
		return p, of, false
	}
	for _, find := range places {
		if p, ok = find(m); ok {
			return p, of, true
		}
	}
	return p, of, false
}

// Take gives a client the oldest mention that no client here or in another process has taken, or false. It may take some
// seconds.
func (c *Leases) Take(ctx context.Context, a mentions.Asks) (m mentions.Mention, ok bool) {
	for {
		m, ok = c.book.Take(a)
		if !ok || c.decided(ctx, a.Client, m) {
			return m, ok
		}
	}
}

// Of is [mentions.Book.Of] for a mention that no other process has.
func (c *Leases) Of(ctx context.Context, client, id string) (mentions.Mention, error) {
	m, fresh, err := c.book.Of(client, id)
	if err == nil && fresh && !c.decided(ctx, client, m) {
		m, _, err = c.book.Of(client, id) // its error names the holder
	}
	return m, err
}

// decided decides whether a client gets the mention that it takes, notes it in the book, and reports it.
func (c *Leases) decided(ctx context.Context, client string, m mentions.Mention) bool {
	p, of, ok := c.place(m)
	if !ok {
		c.book.Keep(m.ID)
		return true
	}
	mine, by := c.acquire(ctx, p, of)
	if mine {
		c.book.Keep(m.ID)
		return true
	}
	c.note(m.ID, p.State)
	c.book.Lose(m.ID, client, by.Answered)
	return false
}

const (
	// confirmFor is how long the server may take to confirm a claim.
	confirmFor = 5 * time.Second
	// yieldFor is how long other processes may take to decide on theirs.
	yieldFor = 5 * time.Second
	// yieldEvery is how often their claims are checked.
	yieldEvery = 20 * time.Millisecond
)

// acquire claims a mention. If another process has it, by is that process's acquire.
func (c *Leases) acquire(ctx context.Context, p Place, of string) (mine bool, by record) {
	if p.present().alone() {
		return true, by
	}
	if others := c.others(p, of); len(others) > 0 {
		return false, others[0]
	}
	own := record{of: of, process: c.process, At: time.Now(), Replica: replicaOf(p)}
	c.writing.Lock()
	err := c.put(p, own)
	c.writing.Unlock()
	if err != nil {
		return true, by
	}
	confirm, stop := context.WithTimeout(ctx, confirmFor)
	defer stop()
	if p.Room.Barrier(confirm) != nil {
		return true, by
	}
	for began := time.Now(); ; {
		others := c.others(p, of)
		if len(others) == 0 {
			own.Final = true
			_ = c.put(p, own) // on failure the claim stays as it is
			return true, by
		}
		first := slices.ContainsFunc(others, func(o record) bool { return o.Final || o.Answered || o.before(own) })
		if first || ctx.Err() != nil || time.Since(began) > yieldFor {
			_ = c.remove(p, own)
			return false, others[0]
		}
		select {
		case <-time.After(yieldEvery):
		case <-ctx.Done():
		}
	}
}

func replicaOf(p Place) string { return strconv.FormatUint(p.ClientID(), 10) }

// others returns the valid claims of a mention by other processes, answered claims first.
func (c *Leases) others(p Place, of string) (all []record) {
	here := p.present()
	for _, one := range recordsIn(p.StateEntries(prefix + of + ":")) {
		switch {
		case one.process == c.process || !here.stands(one):
		case one.Answered:
			all = slices.Insert(all, 0, one)
		default:
			all = append(all, one)
		}
	}
	return all
}

// put writes a claim of this process, and removes claims that are no longer needed.
func (c *Leases) put(p Place, own record) error {
	entries := spent(recordsIn(p.StateEntries(prefix)), c.process, p.present(), time.Now())
	entries[own.key()] = own.value()
	return p.SetState(entries)
}

func (c *Leases) remove(p Place, own record) error { return p.SetState(map[string]any{own.key(): nil}) }

// note remembers where another process was seen to have a mention.
func (c *Leases) note(id string, at State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[id] = at
}
