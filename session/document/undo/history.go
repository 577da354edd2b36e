package undo

import (
	"container/list"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Replica is the part of a replica that undo needs.
type Replica interface {
	Revert(steps ...*ydoc.Step) (ydoc.Undone, *ydoc.Step, error)
	Release(steps ...*ydoc.Step)
	Hold(s *ydoc.Step)
	Reloads() uint64
}

// Beginning is the reason why a history began without earlier steps.
type Beginning int

const (
	// Opened means that the document was opened.
	Opened Beginning = iota
	// JoinedAfresh means that the document lost its room and joined it again.
	JoinedAfresh
	// Reloaded means that the server replaced the document with the file's content.
	Reloaded
)

// Step is the edits of one call of a client.
type Step struct {
	ID     string
	Tool   string
	Reason string // "" for none
	At     time.Time
	Cells  []string // added, changed, moved or deleted; empty in a text
	Ran    []string // that the client has run since
	Undone bool
}

// step is a step with the edits that undo or redo it.
type step struct {
	Step
	call  uint64
	made  []*ydoc.Step      // in their order
	edits [][]ydoc.CellEdit // instead of made, if the step is from the journal
	in    *History
	of    *client

	at            *list.Element // among the keeper's
	size, counted int           // as counted by the keeper
}

func (s *step) deleted() (n int) {
	for _, m := range s.made {
		n += m.Bytes()
	}
	return n
}

func (s *step) weigh() (n int) {
	for _, m := range s.made {
		n += m.Weight()
	}
	for _, edits := range s.edits {
		for _, e := range edits {
			n += editBytes + e.Bytes()
		}
	}
	return n
}

// editBytes is the overhead of an edit of a cell besides its texts.
const editBytes = 256

// client holds the steps of one client, the last ones last.
type client struct {
	done, undone []*step
	recalled     bool // the steps of the journal are among them
}

func (c *client) remove(s *step) {
	is := func(o *step) bool { return o == s }
	c.done, c.undone = slices.DeleteFunc(c.done, is), slices.DeleteFunc(c.undone, is)
}

// History holds the steps of all clients in one replica. Make it with [Keeper.Begin].
type History struct {
	k   *Keeper
	doc Replica
	nb  *ydoc.Notebook // nil for a text
	in  func() Place   // nil if no journal keeps the steps

	// Keeper.mu guards the following fields.
	clients map[string]*client
	bytes   int // of deleted content
	since   time.Time
	why     Beginning
	reloads uint64
	ended   bool
}

// Begin returns a new history of a replica.
func (k *Keeper) Begin(doc Replica, why Beginning) *History {
	h := &History{k: k, doc: doc, clients: map[string]*client{}, since: time.Now(), why: why, reloads: doc.Reloads()}
	h.nb, _ = doc.(*ydoc.Notebook)
	return h
}

// End drops all steps: the replica is no longer used.
func (h *History) End() {
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	h.ended = true
	h.clear()
}

// clear drops all steps, and returns them. The caller holds the lock.
func (h *History) clear() (gone []*step) {
	for name := range h.clients {
		gone = append(gone, h.dropClient(name)...)
	}
	return gone
}

// dropClient drops the steps of a client, and returns them. The caller holds the lock.
func (h *History) dropClient(name string) (gone []*step) {
	if c := h.clients[name]; c != nil {
		gone = slices.Concat(c.done, c.undone)
		for _, s := range gone {
			h.k.drop(s)
		}
		delete(h.clients, name)
	}
	return gone
}

// Look begins the history again if the file was reloaded, because the earlier edits are no longer in the document. It also
// drops steps if [Keeper.Beside] has grown. Call it after each change of the document.
func (h *History) Look() {
	reloads := h.doc.Reloads()
	h.k.mu.Lock()
	var gone []*step
	if reloads != h.reloads {
		h.reloads, h.since, h.why = reloads, time.Now(), Reloaded
		gone = h.clear()
	}
	gone = append(gone, h.k.fit(nil)...)
	h.k.mu.Unlock()
	release(gone)
}

// Since returns when the history began, and why.
func (h *History) Since() (time.Time, Beginning) {
	h.Look()
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	return h.since, h.why
}

// Forget drops the steps of a client.
func (h *History) Forget(name string) {
	h.k.mu.Lock()
	gone := h.dropClient(name)
	h.k.mu.Unlock()
	release(gone)
}

// Records reports whether edits of an author are recorded as steps.
func Records(a origin.Author) bool { return a.Call != 0 }

// Add adds an edit, which may be nil, to the step of its author's call, and returns it for [History.Note]. The steps that the
// client has undone can then no longer be redone.
func (h *History) Add(a origin.Author, made *ydoc.Step) (added Recorded) {
	if made == nil {
		return added
	}
	added.Edits = [][]ydoc.CellEdit{made.Edits()}
	h.doc.Hold(made)
	h.Look()
	h.k.mu.Lock()
	if h.ended || !Records(a) {
		h.k.mu.Unlock()
		h.doc.Release(made)
		return added
	}
	c := h.client(a.Client)
	gone := c.undone
	for _, s := range gone {
		h.k.drop(s)
	}
	c.undone = nil
	s := c.ofCall(a.Call)
	if s == nil {
		s = &step{Step: Step{ID: h.k.name(), Tool: a.Tool, Reason: a.Reason}, call: a.Call, in: h, of: c}
		c.done = append(c.done, s)
	} else {
		h.k.drop(s)
	}
	s.At = time.Now()
	s.made = append(s.made, made)
	s.Cells = lo.Union(s.Cells, made.Cells())
	h.k.add(s)
	gone = append(gone, h.k.trim(s)...)
	added.Step = s.Step
	h.k.mu.Unlock()
	release(gone)
	return added
}

// ofCall returns the step of a call, or nil. Calls of one client may run concurrently.
func (c *client) ofCall(call uint64) *step {
	for _, s := range slices.Backward(c.done) {
		if s.call == call {
			return s
		}
	}
	return nil
}

// Ran notes that a client has run cells.
func (h *History) Ran(a origin.Author, cells []string) {
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	c := h.clients[a.Client]
	if c == nil {
		return
	}
	for _, s := range c.done {
		for _, id := range cells {
			if slices.Contains(s.Cells, id) {
				s.Ran = lo.Union(s.Ran, []string{id})
			}
		}
	}
}
