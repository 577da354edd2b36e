package readset

import (
	"maps"
	"slices"
	"sync"

	"github.com/samber/lo"
)

const (
	// listsMax bounds the lists that a memory keeps.
	listsMax = 256
	// leftMax bounds the cells that a list keeps besides its current ones.
	leftMax = 1000
)

// A list is the order of a notebook's cells as one client knows it.
type list struct {
	ids   []string
	left  []string        // cells that are no longer in the list, the latest last
	moved map[string]bool // cells that others moved to another index that the client was not shown
	// refused is the call that was refused when the list was shown, 0 for none.
	refused uint64
}

// next returns the list of a notebook that now has these cells. Without edits by others it would have the expected ones.
func (l *list) next(now, expected []string) *list {
	next := &list{ids: now, moved: map[string]bool{}}
	maps.Copy(next.moved, l.moved)
	at := make(map[string]int, len(now))
	for i, id := range now {
		at[id] = i
	}
	for i, id := range expected {
		if to, ok := at[id]; ok && to != i {
			next.moved[id] = true
		}
	}
	next.follow(l)
	return next
}

// follow makes a new list remember the cells of the list that it replaces.
func (l *list) follow(was *list) {
	if slices.Equal(was.ids, l.ids) {
		l.left = was.left
		return
	}
	drop := lo.SliceToMap(l.ids, func(id string) (string, bool) { return id, true })
	for _, ids := range [][]string{was.left, was.ids} {
		for _, id := range ids {
			if !drop[id] {
				drop[id] = true
				l.left = append(l.left, id)
			}
		}
	}
	l.left = l.left[max(0, len(l.left)-leftMax):]
}

// lists keeps a list for each client and file. A stored list is immutable.
type lists struct {
	mu sync.Mutex // held from reading a list until it is replaced
	memory[*list]
}

func newLists() *lists { return &lists{memory: newMemory[*list](listsMax)} }

// after returns the index for a cell that follows these cells in the notebook: behind the last of them that is listed.
func (l *list) after(before []string) int {
	for _, id := range slices.Backward(before) {
		if at := slices.Index(l.ids, id); at >= 0 {
			return at + 1
		}
	}
	return 0
}

// replace replaces a list; nil means none.
func (l *lists) replace(key shownKey, next func(was *list) *list) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, _ := l.Get(key)
	if now := next(was); now != nil {
		l.Add(key, now)
	} else {
		l.Remove(key)
	}
}
