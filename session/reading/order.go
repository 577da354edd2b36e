package reading

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc"
)

// A client that names cells by index means the list of cells that it was last shown. Others may have inserted, deleted
// and moved cells since; what stands at the same index now may be a cell that the client has never read. So the list is
// kept for each client, by the file's id, for longer than the document is open.

func (r Reader) listKey() shownKey { return shownKey{client: r.client, file: r.doc.FileID()} }

// List records that a client was shown which cells are at some indexes, in a notebook of these cells. Indexes that it
// was shown before keep their meaning.
func (r Reader) List(cells []ydoc.Cell, indexes ...int) {
	l := r.memory.lists
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.listKey()
	if !distinct(cells) {
		l.Remove(key) // ids say nothing here
		return
	}
	next := &list{ids: idsOf(cells), told: make([]bool, len(cells))}
	if was, ok := l.Get(key); ok {
		for i, told := range was.told {
			if told && i < len(next.ids) {
				next.ids[i], next.told[i] = was.ids[i], true
			}
		}
	}
	for _, i := range indexes {
		next.ids[i], next.told[i] = cells[i].ID, true
	}
	if was, ok := l.Get(key); ok {
		next.follow(was)
	}
	l.Add(key, next)
}

// ListRange is List of the indexes from start on, at most count of them, as far as there are cells.
func (r Reader) ListRange(cells []ydoc.Cell, start, count int) {
	var indexes []int
	for i := start; i < min(start+count, len(cells)); i++ {
		indexes = append(indexes, i)
	}
	r.List(cells, indexes...)
}

// Listed returns the cells as they are now, and the same at the indexes at which the client knows them. One that is no
// more has an id alone, see [Gone]. Where the client was shown nothing, ok is false and the cells are where they are.
func (r Reader) Listed() (listed, now []ydoc.Cell, ok bool) {
	now = r.doc.Notebook().Cells()
	known, ok := r.memory.lists.Get(r.listKey())
	if !distinct(now) {
		return now, now, true // ids say nothing here
	}
	if !ok {
		return now, now, !slices.ContainsFunc(now, func(c ydoc.Cell) bool {
			known, _ := r.knows(c.ID, c.Source)
			return !known
		})
	}
	byID := make(map[string]ydoc.Cell, len(now))
	for _, c := range now {
		byID[c.ID] = c
	}
	listed = make([]ydoc.Cell, len(known.ids))
	for i, id := range known.ids {
		if c, ok := byID[id]; ok {
			listed[i] = c
		} else {
			listed[i] = ydoc.Cell{ID: id}
		}
	}
	return listed, now, true
}

// Left returns the ids of cells that the client was shown once, besides those of [Reader.Listed]: cells that it has
// deleted itself, or that were gone when it was shown the notebook again. Some may be there all the same.
func (r Reader) Left() []string {
	known, ok := r.memory.lists.Get(r.listKey())
	if !ok {
		return nil
	}
	return slices.Clone(known.left)
}

// Gone tells whether a cell of [Reader.Listed] is no more.
func Gone(c ydoc.Cell) bool { return c.Type == "" && c.Fault == "" }

// Rearranged records that a client itself has just inserted, deleted or moved the cells with these ids: the others keep
// their places around them in what it knows.
func (r Reader) Rearranged(ids ...string) {
	now := r.doc.Notebook().IDs()
	l := r.memory.lists
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.listKey()
	was, ok := l.Get(key)
	if !ok {
		return
	}
	next := &list{}
	for i, id := range was.ids {
		if !slices.Contains(ids, id) {
			next.ids, next.told = append(next.ids, id), append(next.told, was.told[i])
		}
	}
	for at, id := range now {
		if slices.Contains(ids, id) {
			to := next.after(now[:at])
			next.ids, next.told = slices.Insert(next.ids, to, id), slices.Insert(next.told, to, true)
		}
	}
	if len(next.ids) == 0 { // a notebook is never empty
		next.ids, next.told = now, make([]bool, len(now))
	}
	next.follow(was)
	l.Add(key, next)
}

// distinct tells whether each cell has an id of its own.
func distinct(cells []ydoc.Cell) bool {
	seen := make(map[string]bool, len(cells))
	for _, c := range cells {
		if c.ID == "" || seen[c.ID] {
			return false
		}
		seen[c.ID] = true
	}
	return true
}

func idsOf(cells []ydoc.Cell) []string {
	ids := make([]string, len(cells))
	for i, c := range cells {
		ids[i] = c.ID
	}
	return ids
}
