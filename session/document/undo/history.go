package undo

import (
	"container/list"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Replica is a replica, as far as taking back needs it.
type Replica interface {
	Revert(steps ...*ydoc.Step) (ydoc.Undone, *ydoc.Step, error)
	Release(steps ...*ydoc.Step)
	Hold(s *ydoc.Step)
	Reloads() uint64
}

// Beginning says why a history began, and has nothing of before.
type Beginning int

const (
	// Opened is a document that was not open.
	Opened Beginning = iota
	// JoinedAfresh is a document that lost its room and joined it again.
	JoinedAfresh
	// Reloaded is a document in whose place the server has put what is in its file.
	Reloaded
)

// Step is what one call of a client did.
type Step struct {
	ID     string
	Tool   string
	Reason string // "" for none
	At     time.Time
	Cells  []string // that it added, changed, moved or deleted; none in a text
	Ran    []string // that the client had run since
	Undone bool
}

// step is a step with what takes it back, or makes it again.
type step struct {
	Step
	call uint64
	made []*ydoc.Step // in their order
	in   *History
	of   *client

	at            *list.Element // among the keeper's
	size, counted int           // as the keeper has counted it
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
	return n
}

// client is what one client did, the last steps last.
type client struct{ done, undone []*step }

func (c *client) remove(s *step) {
	is := func(o *step) bool { return o == s }
	c.done, c.undone = slices.DeleteFunc(c.done, is), slices.DeleteFunc(c.undone, is)
}

// History is what clients did to one replica. Make it with [Keeper.Begin].
type History struct {
	k   *Keeper
	doc Replica

	// Keeper.mu guards what follows.
	clients map[string]*client
	bytes   int // deleted content that is kept
	since   time.Time
	why     Beginning
	reloads uint64
	ended   bool
}

// Begin makes the history of a replica.
func (k *Keeper) Begin(doc Replica, why Beginning) *History {
	return &History{k: k, doc: doc, clients: map[string]*client{}, since: time.Now(), why: why, reloads: doc.Reloads()}
}

// End drops all that is kept: the replica is not used any more.
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

// Look begins the history again if the file was loaded again: what was done before is not in the document any more. It
// makes room for what is kept beside the steps, too. Call it after each change of the document.
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

// Since says when the history began, and why.
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

// Records reports whether an edit of an author is a step.
func Records(a origin.Author) bool { return a.Call != 0 }

// Add adds what an edit that stands did, which may be nil, to the step of its author's call. What the client took back before cannot
// be made again after that.
func (h *History) Add(a origin.Author, made *ydoc.Step) {
	if made == nil {
		return
	}
	h.doc.Hold(made)
	h.Look()
	h.k.mu.Lock()
	if h.ended || !Records(a) {
		h.k.mu.Unlock()
		h.doc.Release(made)
		return
	}
	c := h.clients[a.Client]
	if c == nil {
		c = &client{}
		h.clients[a.Client] = c
	}
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
	h.k.mu.Unlock()
	release(gone)
}

// ofCall is the step of a call, or nil. Calls of one client may be under way at once.
func (c *client) ofCall(call uint64) *step {
	for _, s := range slices.Backward(c.done) {
		if s.call == call {
			return s
		}
	}
	return nil
}

// Ran notes that a client had cells run.
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
