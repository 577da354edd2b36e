package changelog

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

const (
	// maxEntries and maxBytes bound the entries of a notebook.
	maxEntries = 1_000
	maxBytes   = 256 << 10
	// maxText bounds the text of one entry.
	maxText = maxBytes / 2
	// sealEvery is how long entries may grow: while two people type at the same time, this produces revisions at which
	// neither's entry is open.
	sealEvery = 30 * time.Second
)

// People identifies the clients in the notebook's room.
type People interface {
	// Sole returns the only other client in the room; false if there are several, or some are not known.
	Sole() (client uint64, ok bool)
	// Named returns the name of a client that is or was in the room; false if it did not identify itself.
	Named(client uint64) (name string, agent, ok bool)
}

// A Log records the changes in one replica of a notebook. Make it with [New].
type Log struct {
	people  People
	stop    func()
	writing sync.Mutex // held while an author writes

	mu      sync.Mutex
	author  origin.Author
	served  *Served
	rev     ydoc.Revision // of the notebook as known to the log
	reloads uint64
	blurred bool // the cells' ids are not unique

	cells map[string]*cell
	order []*cell
	turn  int

	entries []*entry
	base    int // how many came before entries[0]
	sealed  int // the number of all entries so far that no longer grow
	sealing int64
	bytes   int // of the entries
	total   *Total
	marks   []mark // ascending
	changed chan struct{}

	began   time.Time     // when the entries began
	first   ydoc.Revision // of the notebook then
	dropped int           // l.base then
	album   album
}

// cell is a cell as it is now.
type cell struct {
	id, typ, source string
	count           int // -1 for none
	at              int // its index
	turn            int // when it was last seen there
	last            int // the number of the last entry about it, counted from 1 over all entries so far; 0 for none
}

// A Total is the memory of the entries of several logs. The zero value is ready for use. It is safe for concurrent use.
type Total struct{ bytes atomic.Int64 }

// Bytes returns their memory in bytes.
func (t *Total) Bytes() int { return int(t.bytes.Load()) }

// New returns the log of a replica, which begins now and lasts until [Log.Stop]. people may be nil.
func New(nb *ydoc.Notebook, people People) *Log {
	l := &Log{people: people, served: &Served{}, total: &Total{}, changed: make(chan struct{})}
	l.stop = nb.Follow(l.record)
	return l
}

// Stop ends the log: it records no further changes, and no longer knows any revision.
func (l *Log) Stop() {
	l.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	l.marks = nil
	l.album.keep() // the notebook as it is now
}

// CountIn counts the log's entries in a total.
func (l *Log) CountIn(t *Total) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total = t
	t.bytes.Add(int64(l.bytes))
}

// weigh adds to the memory of the entries.
func (l *Log) weigh(more int) {
	l.bytes += more
	l.total.bytes.Add(int64(more))
}

// By runs write, which edits the notebook, in an author's name.
func (l *Log) By(a origin.Author, write func() error) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.is(a)
	defer l.is(origin.Author{})
	return write()
}

func (l *Log) is(a origin.Author) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.author = a; a.Call != 0 && !l.blurred {
		l.album.writes(a.Client, l.order, l.rev)
	}
}

// Writing returns the author of the current edit of the notebook, for others that follow it; the zero value if this program
// is not writing.
func (l *Log) Writing() origin.Author {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.author
}

// Named returns the name of a client that changed the notebook, by the id of its replica, and whether it is an agent, as it
// announced while in the room; false if it did not.
func (l *Log) Named(client uint64) (name string, agent, ok bool) {
	if l.people == nil {
		return "", false, false
	}
	return l.people.Named(client)
}

// Changed returns a channel that is closed at the next change.
func (l *Log) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// record records a batch of changes, and reports whether it needs the whole notebook next.
func (l *Log) record(b ydoc.Batch) (lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now().UnixNano()
	if now-l.sealing > int64(sealEvery) {
		l.sealed, l.sealing = l.next(), now
	}
	first := l.next()
	switch {
	case !b.Complete:
		l.begin(b)
	case b.Order && !l.arrange(b, now):
		l.blurred = true
	default:
		l.compare(b, now)
	}
	l.rev = b.To
	if l.blurred || !b.Complete || b.Reloads != l.reloads {
		l.forget()
	}
	l.reloads = b.Reloads
	if !l.blurred {
		l.album.changes(l.order, l.rev)
	}
	if l.next() != first || len(b.Cells) > 0 || b.Order {
		close(l.changed)
		l.changed = make(chan struct{})
	}
	return l.blurred
}

// next returns the number of all entries so far.
func (l *Log) next() int { return l.base + len(l.entries) }

// begin takes over a whole notebook.
func (l *Log) begin(b ydoc.Batch) {
	l.cells, l.order, l.blurred = make(map[string]*cell, len(b.Now)), make([]*cell, len(b.Now)), false
	for i, now := range b.Now {
		c := &cell{id: now.ID, at: i}
		c.become(now)
		l.cells[now.ID], l.order[i] = c, c
	}
}

// become takes over the current state of a cell.
func (c *cell) become(now ydoc.Cell) {
	c.typ, c.source, c.count = now.Type, now.Source, -1
	if now.ExecutionCount != nil {
		c.count = *now.ExecutionCount
	}
}

// forget drops all entries: earlier revisions are no longer known.
func (l *Log) forget() {
	l.album.keep()
	l.base, l.entries, l.marks = l.next(), nil, nil
	l.weigh(-l.bytes)
	l.sealed = l.base
	l.began, l.first, l.dropped = time.Now(), l.rev, l.base
	if !l.blurred {
		l.mark()
	}
}

// arrange takes over the order of the cells; false if their ids are not unique. The content of new cells comes with their
// entries.
func (l *Log) arrange(b ydoc.Batch, now int64) bool {
	l.turn++
	order := make([]*cell, len(b.IDs))
	stand := make([]*cell, 0, len(b.IDs)) // the earlier cells, in their new order
	places := make([]int, 0, len(b.IDs))  // and their indexes before
	var added int
	for i, id := range b.IDs {
		c := l.cells[id]
		switch {
		case id == "", c != nil && c.turn == l.turn:
			return false
		case c == nil:
			c = &cell{id: id, at: -1, count: -1}
			l.cells[id] = c
			added++
		}
		c.turn, order[i] = l.turn, c
	}
	who := l.who(b.Origin)
	deleted := 0
	for _, c := range l.order {
		if c.turn == l.turn {
			c.at -= deleted
			continue
		}
		deleted++
		delete(l.cells, c.id)
		l.add(&entry{cell: c.id, kinds: Deleted, who: who, to: b.To, begun: now, edits: []span{{0, c.source, ""}}}, c)
	}
	for _, c := range order {
		if c.at >= 0 {
			stand, places = append(stand, c), append(places, c.at)
		}
	}
	moved := map[*cell]bool{} // as few as possible
	stay := textdiff.Ascending(places)
	for i, c := range stand {
		if len(stay) > 0 && stay[0] == i {
			stay = stay[1:]
		} else {
			moved[c] = true
		}
	}
	l.order = order
	l.place(b, who, moved, added, now)
	return true
}

// place adds entries for cells with a new place, from the top down, so that each cell's predecessor is already in place.
func (l *Log) place(b ydoc.Batch, who Who, moved map[*cell]bool, added int, now int64) {
	news := make(map[string]ydoc.Cell, added)
	for i, c := range b.Cells {
		if was := l.cells[c.ID]; was != nil && was.at < 0 {
			news[c.ID] = b.Now[i]
		}
	}
	after := ""
	for i, c := range l.order {
		switch {
		case c.at < 0:
			c.become(news[c.id])
			l.add(&entry{cell: c.id, kinds: Added, who: who, to: b.To, begun: now, after: after, typ: c.typ, edits: []span{{0, "", c.source}}}, c)
		case moved[c]:
			l.add(&entry{cell: c.id, kinds: Moved, who: who, to: b.To, begun: now, after: after}, c)
		}
		c.at, after = i, c.id
	}
}

// compare adds entries for the changes within cells.
func (l *Log) compare(b ydoc.Batch, now int64) {
	for i, change := range b.Cells {
		c, is := l.cells[change.ID], b.Now[i]
		if c == nil {
			continue // the deleted one of two cells with this id
		}
		was := *c
		c.become(is)
		e := &entry{cell: c.id, to: b.To, begun: now}
		if was.typ != c.typ {
			e.kinds, e.was, e.typ = e.kinds|Retyped, was.typ, c.typ
		} else if change.Outputs && !change.New || was.count != c.count {
			e.kinds |= outputKind(is)
		}
		if was.source != c.source {
			e.kinds |= Edited
			e.typing = [2]int64{now, now}
			e.edits = []span{between(was.source, c.source)}
		}
		if e.kinds == 0 {
			continue
		}
		if e.who = l.who(change.Origin); e.who.equal(Who{}) {
			e.who = l.who(b.Origin)
		}
		if e.kinds&^outputs == 0 {
			e.who = l.runBy(c.id, e.who)
		}
		l.add(e, c)
	}
}

// outputKind returns the kind of a change that gave a cell these outputs or this count.
func outputKind(c ydoc.Cell) Kinds {
	if len(c.Outputs) == 0 && c.ExecutionCount == nil && c.ExecutionState != ydoc.Running {
		return Cleared
	}
	return Run
}

// who returns the author of a change.
func (l *Log) who(o ydoc.Origin) Who {
	w := Who{Ours: o.Ours, Clients: o.Clients}
	if o.Ours {
		w.Client = l.author.Client
	}
	if o.Others && len(o.Clients) == 0 {
		// A deletion does not carry its author's client id.
		if l.people != nil {
			if client, ok := l.people.Sole(); ok {
				w.Clients = []uint64{client}
				return w
			}
		}
		w.Unknown = true
	}
	return w
}

// add adds an entry about a cell, or extends the cell's last one.
func (l *Log) add(e *entry, c *cell) {
	e.from, e.last = l.rev, e.begun
	l.album.changed += e.bytes() - entryBytes
	l.put(e, c)
	if last := l.at(c.last); last != nil && last.bytes() > maxText+entryBytes {
		l.strip(c.id)
	}
	for len(l.entries) > 0 && (len(l.entries) > maxEntries || l.bytes > maxBytes) {
		l.weigh(-l.entries[0].bytes())
		l.entries[0] = nil
		l.entries = l.entries[1:]
		l.base++
	}
	l.sealed = max(l.sealed, l.base)
}

func (l *Log) put(e *entry, c *cell) {
	if last := l.at(c.last); last != nil && c.last > l.sealed {
		was := last.bytes()
		if last.takes(e, c.last == l.next()) {
			l.weigh(last.bytes() - was)
			return
		}
	}
	l.entries = append(l.entries, e)
	l.weigh(e.bytes())
	c.last = l.next()
}

// at returns an entry by its number, nil if it is no longer kept.
func (l *Log) at(number int) *entry {
	if number <= l.base {
		return nil
	}
	return l.entries[number-l.base-1]
}

// strip drops the texts of all entries about a cell.
func (l *Log) strip(id string) {
	for _, e := range l.entries {
		if e.cell == id {
			l.weigh(-e.bytes())
			e.strip()
			l.weigh(e.bytes())
		}
	}
}

// A mark is a revision that was answered to a client, and the number of entries until then.
type mark struct {
	rev ydoc.Revision
	seq int
}

// maxMarks bounds the revisions that are remembered besides those at which an entry ends.
const maxMarks = 512

// Seal returns the notebook's revision for an answer to a client: the changes from now on will be known exactly.
func (l *Log) Seal() ydoc.Revision {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mark()
	return l.rev
}

func (l *Log) mark() {
	l.sealed = l.next()
	if l.blurred {
		return
	}
	l.album.show(l.order, l.rev)
	if _, known := l.find(l.rev); known {
		return
	}
	l.marks = append(l.marks, mark{l.rev, l.next()})
	if len(l.marks) > maxMarks {
		l.marks = slices.Delete(l.marks, 0, maxMarks/4)
	}
}

// find returns the number of entries until a revision, if that is known.
func (l *Log) find(r ydoc.Revision) (seq int, ok bool) {
	if i, found := slices.BinarySearchFunc(l.marks, r, func(m mark, r ydoc.Revision) int { return cmp.Compare(m.rev, r) }); found {
		return l.marks[i].seq, l.marks[i].seq >= l.base
	}
	// The revision must be one at which an entry ends, and no entry may span it. Entries are in the order of their beginnings.
	for i, e := range l.entries {
		switch {
		case e.from >= r:
			return seq, ok
		case e.to > r:
			return 0, false
		}
		seq, ok = l.base+i+1, ok || e.to == r
	}
	return seq, ok
}
