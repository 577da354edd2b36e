package reading

import (
	"slices"
	"sync"
)

const (
	// listsMax bounds the lists that a memory keeps.
	listsMax = 256
	// leftMax bounds the cells that a list keeps besides those that are in it.
	leftMax = 1000
)

// A list is the order of a notebook's cells as one client knows it.
type list struct {
	ids  []string
	told []bool   // whether the client was shown this very index, and not only that there are so many cells
	left []string // cells that were in the list and are not any more, the latest last
}

// follow has a list that takes the place of another keep which cells were in that.
func (l *list) follow(was *list) {
	if slices.Equal(was.ids, l.ids) {
		l.left = was.left
		return
	}
	drop := make(map[string]bool, len(l.ids))
	for _, id := range l.ids {
		drop[id] = true
	}
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

// lists keeps a list for each client and file. A list that is kept is not changed any more.
type lists struct {
	mu sync.Mutex // held from reading a list to putting another in its place
	memory[*list]
}

func newLists() *lists { return &lists{memory: newMemory[*list](listsMax)} }

// after is where a cell belongs that stands behind these cells in the notebook: behind the last of them that is listed.
func (l *list) after(before []string) int {
	for _, id := range slices.Backward(before) {
		if at := slices.Index(l.ids, id); at >= 0 {
			return at + 1
		}
	}
	return 0
}
