package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
)

// analysesMax is how many analysis sessions one owner may have.
const analysesMax = 64

// Table has the analysis sessions of all owners. Make it with [New].
type Table struct {
	m       *session.Manager
	servers *kernel.Servers
	owners  *kernel.Owners

	mu     sync.Mutex
	closed bool
	byID   map[string]*Session
}

// New makes the table of a manager's analysis sessions. The manager closes it when it closes.
func New(m *session.Manager) *Table {
	t := &Table{m: m, servers: m.Servers(), owners: m.Owners(), byID: make(map[string]*Session)}
	m.OnClose(t.Close)
	return t
}

// allow says why the owner may not have another session, nil if it may.
func (t *Table) allow(owner string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return session.ErrClosed
	}
	n := 0
	for _, a := range t.byID {
		if a.owner == owner {
			n++
		}
	}
	if n >= analysesMax {
		return fmt.Errorf("there are already %d analysis sessions, and at most %d are allowed: end one first", n, analysesMax)
	}
	return nil
}

func (t *Table) add(a *Session) error {
	if err := t.allow(a.owner); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return session.ErrClosed
	}
	t.byID[a.id] = a
	return nil
}

// remove removes a session; false if it was not in the table.
func (t *Table) remove(a *Session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	had := t.byID[a.id] == a
	delete(t.byID, a.id)
	return had
}

// list returns the wanted sessions, oldest first.
func (t *Table) list(wanted func(*Session) bool) []*Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*Session
	for _, a := range t.byID {
		if wanted(a) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *Session) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
	})
	return out
}

// List lists the owner's sessions, oldest first.
func (t *Table) List(owner string) []*Session {
	return t.list(func(a *Session) bool { return a.owner == owner })
}

// Get finds one of the owner's sessions; the error matches ErrNoSession.
func (t *Table) Get(owner, id string) (*Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.byID[id]
	if a == nil || a.owner != owner {
		return nil, fmt.Errorf("%w: %q", ErrNoSession, id)
	}
	return a, nil
}

// Stats counts what the manager holds, including these sessions.
func (t *Table) Stats() session.Stats {
	s := t.m.Stats()
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Analyses = len(t.byID)
	return s
}
