package mentions

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/textfmt"
)

// maxKept is the maximum number of mentions. Beyond it the oldest are dropped, first answered ones, then those of agents.
const maxKept = 200

// kept is a mention with its status.
type kept struct {
	Mention
	taken    string // the client that has it, Elsewhere, or "" if it is free
	deciding bool   // another process may still get it
	left     bool   // the client left in the meantime
	answered bool
}

// Elsewhere is the client name for the clients of other processes.
const Elsewhere = "another process"

// A Book holds the mentions of all open notebooks and chats. Make it with [NewBook].
type Book struct {
	mu       sync.Mutex
	all      []*kept
	changed  chan struct{}
	trackers map[*Tracker]struct{}
	wake     chan struct{}
	observe  map[*func()]struct{}
	names    func() []Name
}

// NewBook returns an empty book. names returns the current names of this program's clients; it is called with a notebook
// locked.
func NewBook(names func() []Name) *Book {
	return &Book{names: names, changed: make(chan struct{}), trackers: map[*Tracker]struct{}{}, wake: make(chan struct{}, 1), observe: map[*func()]struct{}{}}
}

// ErrUnknown is matched by the error for a mention that is not in the book.
var ErrUnknown = textfmt.Fixed("no mention has this id")

// Add adds a mention under a new id, and returns the id.
func (b *Book) Add(m Mention) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.ID = newID()
	b.all = append(b.all, &kept{Mention: m})
	if len(b.all) > maxKept {
		b.forgetOne()
	}
	b.tell()
	return m.ID
}

// forgetOne drops the least important mention.
func (b *Book) forgetOne() {
	for _, least := range []func(*kept) bool{
		func(k *kept) bool { return k.answered },
		func(k *kept) bool { return k.Who.Agent },
		func(*kept) bool { return true },
	} {
		if at := slices.IndexFunc(b.all, least); at >= 0 {
			b.all = slices.Delete(b.all, at, at+1)
			return
		}
	}
}

// tell signals a change. The caller holds mu.
func (b *Book) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
	for f := range b.observe {
		(*f)()
	}
}

// Changed returns a channel that is closed on the next change.
func (b *Book) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// Observe calls f after every change until stop is called. f is called with the book locked and must return at once.
func (b *Book) Observe(f func()) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.observe[&f] = struct{}{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.observe, &f)
	}
}

// Asks selects mentions for a client.
type Asks struct {
	Client string
	// Agents includes those of agents, except the client's own.
	Agents bool
	// Fits restricts them to a place; nil for all.
	Fits func(Mention) bool
}

// mine reports whether a mention is selected.
func (a Asks) mine(m *kept) bool {
	switch {
	case m.answered, m.Who.Agent && !a.Agents, m.Who.Client != "" && m.Who.Client == a.Client:
		return false
	case len(m.To) > 0 && !slices.Contains(m.To, a.Client):
		return false
	}
	return a.Fits == nil || a.Fits(m.Mention)
}

// Take gives a client the oldest mention that has not been taken. No other client of this process gets it; [Book.Keep] or
// [Book.Lose] must follow once it is decided whether another process has it.
func (b *Book) Take(a Asks) (Mention, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.all {
		if k.taken == "" && a.mine(k) {
			k.taken, k.deciding = a.Client, true
			b.tell()
			return k.Mention, true
		}
	}
	return Mention{}, false
}

// Listed is a mention in a list.
type Listed struct {
	Mention
	// Taken is the client that has it, [Elsewhere], or "" if it is free.
	Taken string
}

// List returns the unanswered mentions, the oldest first.
func (b *Book) List(a Asks) (out []Listed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.all {
		if a.mine(k) {
			out = append(out, Listed{k.Mention, k.taken})
		}
	}
	return out
}

// Of returns the mention that a client wants to answer: its own, or a free one. It takes a free one as [Book.Take] does;
// fresh reports that.
func (b *Book) Of(client, id string) (m Mention, fresh bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.find(id)
	switch {
	case k == nil:
		return Mention{}, false, fmt.Errorf("%w: %s: it was withdrawn or is too old", ErrUnknown, textfmt.Quoted(id))
	case k.taken != "" && k.taken != client:
		return k.Mention, false, fmt.Errorf("mention %s was taken by another client, which answers it", id)
	}
	if fresh = k.taken == ""; fresh {
		k.taken, k.deciding = client, true
		b.tell()
	}
	return k.Mention, fresh, nil
}

func (b *Book) find(id string) *kept {
	at := slices.IndexFunc(b.all, func(k *kept) bool { return k.ID == id })
	if at < 0 {
		return nil
	}
	return b.all[at]
}

// Answered marks a mention as answered. It can be answered again.
func (b *Book) Answered(id string) { b.change(id, func(k *kept) { k.answered = true }) }

// Release frees a mention that was taken and did not reach its client.
func (b *Book) Release(id string) { b.change(id, func(k *kept) { k.taken, k.deciding = "", false }) }

func (b *Book) change(id string, f func(*kept)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.find(id); k != nil {
		f(k)
		b.tell()
	}
}

// Edit changes the text of a mention.
func (b *Book) Edit(id, says string) {
	b.change(id, func(k *kept) {
		k.Edited = k.Edited || k.taken != "" && k.taken != Elsewhere
		k.Says = says
	})
}

// Further counts one more call with a mention, which is not delivered separately.
func (b *Book) Further(id string) { b.change(id, func(k *kept) { k.More++ }) }

// Withdraw drops a mention that vanished before it was taken, and reports whether it did.
func (b *Book) Withdraw(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.find(id)
	if k == nil || k.taken != "" {
		return false
	}
	b.all = slices.DeleteFunc(b.all, func(other *kept) bool { return other == k })
	b.tell()
	return true
}

// Moved notes that a mention is in another cell now.
func (b *Book) Moved(id, cell string) { b.change(id, func(k *kept) { k.Cell = cell }) }

// Forget frees the unanswered mentions of a client that has left, and removes the client from the addressees of others.
func (b *Book) Forget(client string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.all {
		switch {
		case k.taken != client || k.answered:
		case k.deciding:
			k.left = true
		default:
			k.taken = ""
		}
		if at := slices.Index(k.To, client); at >= 0 {
			k.To = slices.Delete(slices.Clone(k.To), at, at+1) // if none remain, every client may have it
		}
	}
	b.tell()
}

// maxAge is how long a mention from an agent is kept; most are never taken.
const maxAge = 10 * time.Minute

// age drops mentions that are too old.
func (b *Book) age(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = slices.DeleteFunc(b.all, func(k *kept) bool { return k.Who.Agent && now.Sub(k.At) > maxAge })
}
