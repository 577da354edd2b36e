package mentions

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/textfmt"
)

// maxKept is how many mentions are kept that nobody has answered; beyond it the oldest are forgotten, those of agents
// first.
const maxKept = 200

// kept is a mention with what became of it.
type kept struct {
	Mention
	taken    string // the client that has it, Elsewhere, or "" for nobody
	deciding bool   // it is not certain yet that the client has it
	left     bool   // the client is gone meanwhile
	answered bool
}

// Elsewhere stands for the clients of another process, where it is said who has taken a mention.
const Elsewhere = "another process"

// A Book has the mentions of all open notebooks and chats. Make it with [NewBook].
type Book struct {
	mu       sync.Mutex
	all      []*kept
	changed  chan struct{}
	trackers map[*Tracker]struct{}
	wake     chan struct{}
	observe  map[*func()]struct{}
	names    func() []Name
}

// NewBook makes a book without mentions. names are what the clients of this program are called by at the moment; it is called
// with a notebook locked.
func NewBook(names func() []Name) *Book {
	return &Book{names: names, changed: make(chan struct{}), trackers: map[*Tracker]struct{}{}, wake: make(chan struct{}, 1), observe: map[*func()]struct{}{}}
}

// ErrUnknown is matched by the error for a mention that is not in the book.
var ErrUnknown = textfmt.Fixed("no mention has this id")

// Add adds a mention, under an id of its own, which it returns.
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

// forgetOne forgets the mention that is missed least.
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

// tell says that something has changed. The caller holds mu.
func (b *Book) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
	for f := range b.observe {
		(*f)()
	}
}

// Changed is closed when something changes next.
func (b *Book) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// Observe has f called when something has changed, until stop is called. It is called with the book locked: it must
// return at once.
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

// Asks is whose mentions somebody asks for.
type Asks struct {
	Client string
	// Agents says that those of agents count, too, but for the client's own.
	Agents bool
	// Fits says of which place it asks; nil for all.
	Fits func(Mention) bool
}

// mine reports whether a mention is one that is asked for.
func (a Asks) mine(m *kept) bool {
	switch {
	case m.answered, m.Who.Agent && !a.Agents, m.Who.Client != "" && m.Who.Client == a.Client:
		return false
	case len(m.To) > 0 && !slices.Contains(m.To, a.Client):
		return false
	}
	return a.Fits == nil || a.Fits(m.Mention)
}

// Take gives a client the oldest mention that nobody has taken. No other client of this process gets it; that none of another
// does is to be decided yet, and said with [Book.Keep] or [Book.Lose].
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

// Listed is a mention of a list.
type Listed struct {
	Mention
	// Taken is the client that has it, [Elsewhere], or "" for nobody.
	Taken string
}

// List are the mentions that nobody has answered, the oldest first.
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

// Of is the mention that a client wants to answer: its own, or one that nobody has taken, which it takes thereby, as with
// [Book.Take]; fresh reports that.
func (b *Book) Of(client, id string) (m Mention, fresh bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.find(id)
	switch {
	case k == nil:
		return Mention{}, false, fmt.Errorf("%w: %s: it was withdrawn, or is of an earlier time", ErrUnknown, textfmt.Quoted(id))
	case k.taken != "" && k.taken != client:
		return k.Mention, false, fmt.Errorf("mention %s was taken by another client, which is to answer it", id)
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

// Answered notes that a mention was answered. It can be answered again.
func (b *Book) Answered(id string) { b.change(id, func(k *kept) { k.answered = true }) }

// Release gives a mention back that was taken and did not reach its client.
func (b *Book) Release(id string) { b.change(id, func(k *kept) { k.taken, k.deciding = "", false }) }

func (b *Book) change(id string, f func(*kept)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.find(id); k != nil {
		f(k)
		b.tell()
	}
}

// Edit notes that a mention says something else now.
func (b *Book) Edit(id, says string) {
	b.change(id, func(k *kept) {
		k.Edited = k.Edited || k.taken != "" && k.taken != Elsewhere
		k.Says = says
	})
}

// Further counts one more call with a mention, which is not told by itself.
func (b *Book) Further(id string) { b.change(id, func(k *kept) { k.More++ }) }

// Withdraw forgets a mention that is gone before anybody has taken it, and reports whether it did.
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

// Moved notes that a mention stands in another cell now.
func (b *Book) Moved(id, cell string) { b.change(id, func(k *kept) { k.Cell = cell }) }

// Forget gives back what a client took and did not answer, and drops what only it could have answered.
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
			k.To = slices.Delete(slices.Clone(k.To), at, at+1) // none: then every client may have it
		}
	}
	b.tell()
}

// maxAge is how long a mention of an agent is kept, which mostly nobody asks for.
const maxAge = 10 * time.Minute

// age forgets what is too old.
func (b *Book) age(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = slices.DeleteFunc(b.all, func(k *kept) bool { return k.Who.Agent && now.Sub(k.At) > maxAge })
}
