package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
)

// analysesMax is how many analysis sessions one owner may have, unless [Table.Limit] sets another limit.
const analysesMax = 64

// Table has the analysis sessions of all owners. Create it with [New].
type Table struct {
	m       *session.Manager
	servers *kernel.Servers
	owners  *kernel.Owners

	mu     sync.Mutex
	closed bool
	most   int // sessions of one owner, 0 for no limit
	byID   map[string]*Session
}

// New returns the table of a manager's analysis sessions. The manager closes it when it closes.
func New(m *session.Manager) *Table {
	t := &Table{m: m, servers: m.Servers(), owners: m.Owners(), most: analysesMax, byID: make(map[string]*Session)}
	m.OnClose(t.Close)
	return t
}

// Limit sets how many sessions one owner may have, 0 for no limit. Sessions made for single calls in a running kernel
// ([Table.Attach]) do not count.
func (t *Table) Limit(most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most = most
}

// A LimitError reports that an owner has reached its limit of sessions.
type LimitError struct {
	Most int
	// Idle is the session that has been unused for longest, "" if all are in use, and Since is when its use ended.
	Idle  string
	Since time.Time
}

// Kind returns the code of the error.
func (e *LimitError) Kind() string { return "too_many_sessions" }

func (e *LimitError) Error() string {
	out := fmt.Sprintf("there are already %d analysis sessions, and at most %d are allowed: end one first", e.Most, e.Most)
	if e.Idle == "" {
		return out + "; all of them are in use"
	}
	return out + fmt.Sprintf("; session %q has been idle for longest, since %s", e.Idle, e.Since.UTC().Format(time.RFC3339))
}

// allow returns an error if the owner may not have another session.
func (t *Table) allow(owner string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mayAdd(owner)
}

// mayAdd is allow with t.mu held.
func (t *Table) mayAdd(owner string) error {
	if t.closed {
		return session.ErrClosed
	}
	n := 0
	full := &LimitError{Most: t.most}
	for _, a := range t.byID {
		if a.owner != owner || a.attached {
			continue
		}
		n++
		if last, idle := a.idleSince(); idle && (full.Idle == "" || last.Before(full.Since)) {
			full.Idle, full.Since = a.id, last
		}
	}
	if t.most > 0 && n >= t.most {
		return full
	}
	return nil
}

func (t *Table) add(a *Session) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return session.ErrClosed
	}
	if !a.attached {
		if err := t.mayAdd(a.owner); err != nil {
			return err
		}
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
	out := lo.Filter(lo.Values(t.byID), func(a *Session, _ int) bool { return wanted(a) })
	slices.SortFunc(out, func(a, b *Session) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
	})
	return out
}

// List lists the owner's sessions, oldest first.
func (t *Table) List(owner string) []*Session {
	return t.list(func(a *Session) bool { return a.owner == owner })
}

// IDs returns the ids of the owner's sessions, oldest first.
func (t *Table) IDs(owner string) []string {
	return lo.Map(t.List(owner), func(a *Session, _ int) string { return a.ID() })
}

// Get returns one of the owner's sessions; the error matches ErrNoSession.
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
