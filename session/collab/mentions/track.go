package mentions

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Room lists the clients in a notebook's room.
type Room interface {
	Peers() []rtc.Peer
	// Named returns the name of a client, and whether it is an agent; false if the client has not identified itself.
	Named(client uint64) (name string, agent, ok bool)
}

// Followed is a notebook that is searched for calls.
type Followed struct {
	Notebook *ydoc.Notebook
	Room     Room
	// Path returns the notebook's current path.
	Path func() jupyter.Path
	// Company returns who is in it, and in which cells.
	Company func() people.Company
	// Author returns the client of this program that is currently writing in it.
	Author func() string
	// Obey carries out a command, and reports whether it had an effect; otherwise the command is delivered as a mention.
	Obey func(Command, Mention) bool
}

// mark is a call in a cell.
type mark struct {
	call
	id string // of its mention, "" if it is not one
	// draft is when an unfinished call was last edited; zero for others.
	draft   time.Time
	begun   time.Time // of the draft
	clients []uint64  // that wrote it
	ours    string    // or the client of this program that did
	more    int
	obeyed  bool  // it was a command that was carried out
	copyOf  *mark // elsewhere in the notebook; a copy does not call an agent
}

// cell is the last known state of one cell.
type cell struct {
	typ, source string
	marks       []*mark
}

// gone is a call that vanished. It may come back in another cell: people cut and paste cells.
type gone struct {
	mark *mark
	at   time.Time
}

// Tracker follows one replica of a notebook. [Book.Follow] makes it.
type Tracker struct {
	b    *Book
	of   Followed
	stop func()

	mu      sync.Mutex
	cells   map[string]*cell
	drafts  int
	lost    []gone
	reloads uint64
	before  map[string]*cell // of the previous replica, until the first batch
}

const (
	// quiet is how long a call must stay unedited to become a mention while the caret is in its cell.
	quiet = 3 * time.Second
	// overtaken is how long it must stay unedited when the caret has left: a server passes carets on before text.
	overtaken = 500 * time.Millisecond
	// backFor is how long a vanished call is recognized when it comes back.
	backFor = time.Minute
	maxLost = 50
	// oneByOne is how many calls of one change are delivered separately.
	oneByOne = 5
	// unnamedFor is how long a writer may take to identify itself. Tabs do so with their first key.
	unnamedFor = 20 * time.Second
)

// Follow follows a notebook until Stop is called. before is the tracker of the replica that this one replaces, or nil: the
// calls that it delivered are not delivered again.
func (b *Book) Follow(f Followed, before *Tracker) *Tracker {
	t := &Tracker{b: b, of: f, cells: map[string]*cell{}}
	if before != nil {
		t.before = before.end()
	}
	b.mu.Lock()
	b.trackers[t] = struct{}{}
	b.mu.Unlock()
	t.stop = f.Notebook.Follow(t.changed)
	return t
}

// Stop stops following the notebook.
func (t *Tracker) Stop() { t.end() }

func (t *Tracker) end() map[string]*cell {
	t.stop()
	t.b.mu.Lock()
	delete(t.b.trackers, t)
	t.b.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cells
}

// changed processes a change of the notebook, which is locked.
func (t *Tracker) changed(c ydoc.Batch) (again bool) {
	names := t.b.names()
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	loaded := !c.Complete || c.Reloads != t.reloads
	t.reloads = c.Reloads
	if !c.Complete {
		t.begin(c, names)
		return false
	}
	// First the deleted cells: one may be back as another cell in the same change.
	for _, id := range c.Deleted {
		if was := t.cells[id]; was != nil {
			delete(t.cells, id)
			t.vanish(was.marks, now)
		}
	}
	for i, one := range c.Cells {
		if is := c.Now[i]; one.Source || one.New || t.cells[one.ID] == nil {
			w := writer{clients: one.Origin.Clients, loaded: loaded, now: now}
			if len(w.clients) == 0 {
				w.clients = c.Origin.Clients
			}
			if one.Origin.Ours || len(w.clients) == 0 && c.Origin.Ours {
				w.ours = t.of.Author()
			}
			t.compare(one.ID, is, w, names)
		}
	}
	if t.drafts > 0 {
		t.b.nudge()
	}
	return false
}

// begin takes over a whole notebook: calls already in it are not delivered, except those known before.
func (t *Tracker) begin(c ydoc.Batch, names []Name) {
	if t.before == nil {
		t.before = t.cells
	}
	t.cells, t.drafts = make(map[string]*cell, len(c.Now)), 0
	for _, now := range c.Now {
		is := &cell{typ: now.Type, source: now.Source}
		was := t.before[now.ID]
		for _, found := range findIn(now.Type, now.Source, names) {
			m := &mark{call: found}
			if was != nil {
				if at := slices.IndexFunc(was.marks, func(old *mark) bool { return old.says == found.says }); at >= 0 {
					m = was.marks[at]
					was.marks = slices.Delete(was.marks, at, at+1)
					m.call = found
				}
			}
			t.note(m)
			is.marks = append(is.marks, m)
		}
		t.cells[now.ID] = is
	}
	for _, was := range t.before {
		for _, m := range was.marks {
			t.b.Withdraw(m.id)
		}
	}
	t.before = nil
	if t.drafts > 0 {
		t.b.nudge()
	}
}

// note counts a mark if it is a draft.
func (t *Tracker) note(m *mark) {
	if !m.draft.IsZero() {
		t.drafts++
	}
}

// writer is the author of a change.
type writer struct {
	clients []uint64
	ours    string
	loaded  bool // from the file
	now     time.Time
}

// compare updates a cell's calls to its new source.
func (t *Tracker) compare(id string, is ydoc.Cell, w writer, names []Name) {
	was := t.cells[id]
	was = cmp.Or(was, &cell{})
	found := findIn(is.Type, is.Source, names)
	next := &cell{typ: is.Type, source: is.Source}
	t.cells[id] = next
	if len(found) == 0 && len(was.marks) == 0 {
		return
	}
	from, tail := changedSpan(was.source, is.Source)
	shift := len(is.Source) - len(was.source)
	old := slices.Clone(was.marks)
	take := func(fits func(*mark) bool) *mark {
		at := slices.IndexFunc(old, fits)
		if at < 0 {
			return nil
		}
		m := old[at]
		old = slices.Delete(old, at, at+1)
		return m
	}
	marks := make([]*mark, len(found))
	for i, c := range found { // the untouched calls
		marks[i] = take(func(m *mark) bool {
			return m.from == c.from && m.to == c.to && m.to <= from && m.says == c.says ||
				m.from+shift == c.from && m.from >= len(was.source)-tail && m.says == c.says
		})
	}
	for _, fits := range []func(m *mark, c call) bool{ // the edited calls
		func(m *mark, c call) bool { return m.says == c.says },
		func(m *mark, c call) bool { return m.from == c.from && alike(m.says, c.says) },
		func(m *mark, c call) bool { return alike(m.says, c.says) },
	} {
		for i, c := range found {
			if marks[i] == nil {
				marks[i] = take(func(m *mark) bool { return fits(m, c) })
			}
		}
	}
	t.vanish(old, w.now)
	fresh := 0
	for i, c := range found {
		m := marks[i]
		if m != nil {
			t.edited(m, c, w)
		} else if m = t.came(id, c, w, next.marks); !m.draft.IsZero() {
			if fresh++; fresh > oneByOne {
				t.drop(m)
				next.marks[len(next.marks)-1].more++
				continue // it is counted with the last one
			}
		}
		next.marks = append(next.marks, m)
	}
}

// came returns the mark of a new call. beside are the marks before it in its cell.
func (t *Tracker) came(cell string, c call, w writer, beside []*mark) *mark {
	if at := slices.IndexFunc(t.lost, func(g gone) bool { return g.mark.says == c.says && w.now.Sub(g.at) < backFor }); at >= 0 {
		m := &mark{call: c}
		t.become(m, t.lost[at].mark, cell)
		t.lost = slices.Delete(t.lost, at, at+1)
		return m
	}
	m := &mark{call: c, copyOf: t.original(c, beside)}
	if m.copyOf == nil && !w.loaded && (len(w.clients) > 0 || w.ours != "") {
		m.draft, m.begun, m.clients, m.ours = w.now, w.now, w.clients, w.ours
		t.note(m)
	}
	return m
}

// original returns a call in the notebook with the same words as a call that came with all its words at once, or nil.
// Pasting does that, and so does JupyterLab when it splits a cell.
func (t *Tracker) original(c call, beside []*mark) *mark {
	if c.says == "" || commandOf(c.says) != NoCommand { // a command counts wherever it is pasted
		return nil
	}
	same := func(m *mark) bool { return sameWords(m.says, c.says) }
	if at := slices.IndexFunc(beside, same); at >= 0 {
		return beside[at]
	}
	for _, other := range t.cells {
		if at := slices.IndexFunc(other.marks, same); at >= 0 {
			return other.marks[at]
		}
	}
	return nil
}

// become makes m replace the mark was, in a cell.
func (t *Tracker) become(m, was *mark, cell string) {
	at := m.call
	*m = *was
	m.call, m.copyOf = at, nil
	if m.id != "" {
		t.b.Moved(m.id, cell)
	}
	t.note(m)
}

// edited updates a mark to the call's new text.
func (t *Tracker) edited(m *mark, c call, w writer) {
	says := m.says
	m.call = c
	if says == c.says {
		return
	}
	switch {
	case (m.copyOf != nil || m.obeyed) && !w.loaded:
		m.copyOf, m.obeyed = nil, false // it is a separate call now, as when "hands off" becomes "go on"
		m.draft, m.begun, m.clients, m.ours = w.now, w.now, w.clients, w.ours
		t.note(m)
	case !m.draft.IsZero():
		m.draft, m.ours = w.now, w.ours
		for _, client := range w.clients {
			if !slices.Contains(m.clients, client) {
				m.clients = append(slices.Clip(m.clients), client)
			}
		}
	case m.id != "":
		t.b.Edit(m.id, c.says)
	}
}

// vanish processes the removal of calls. A copy replaces a removed call; otherwise one that was not taken is withdrawn.
func (t *Tracker) vanish(marks []*mark, now time.Time) {
	for _, m := range marks {
		if !m.draft.IsZero() {
			t.drafts-- // it is counted again if it comes back
		}
		if t.handOver(m) {
			continue
		}
		if m.id != "" && t.b.Withdraw(m.id) { // it is a draft again if it comes back
			m.id, m.draft, m.begun = "", now, now
		}
		t.lost = append(t.lost, gone{m, now})
		if len(t.lost) > maxLost {
			t.lost = t.lost[1:]
		}
	}
}

// handOver makes a copy of a call replace it, if there is one.
func (t *Tracker) handOver(m *mark) bool {
	for id, c := range t.cells {
		for _, other := range c.marks {
			if other.copyOf == m {
				t.become(other, m, id)
				return true
			}
		}
	}
	return false
}

// drop turns a draft into a call that is not delivered.
func (t *Tracker) drop(m *mark) {
	if !m.draft.IsZero() {
		m.draft = time.Time{}
		t.drafts--
	}
}

// changedSpan returns how many bytes at the start and the end of two texts are equal.
func changedSpan(a, b string) (head, tail int) {
	head = textdiff.EqualPrefix(a, b)
	return head, textdiff.EqualSuffix(a[head:], b[head:])
}

// alike reports whether one text may have become the other by editing: their common start and end make up at least half of
// the shorter.
func alike(a, b string) bool {
	head, tail := changedSpan(a, b)
	return 2*(head+tail) >= min(len(a), len(b))
}

func sameWords(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
