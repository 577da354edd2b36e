package session

import (
	"slices"
	"sync"
)

// listsMax bounds the lists that a manager keeps.
const listsMax = 256

// A list is the order of a notebook's cells as one client knows it.
type list struct {
	ids  []string
	told []bool // whether the client was shown this very index, and not only that there are so many cells
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
