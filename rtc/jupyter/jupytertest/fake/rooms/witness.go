package rooms

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Received lists all connections ever made to a document, including refused ones, in order, each with the kinds of
// the frames received on it.
func (t *Table) Received(path string) (kinds [][]wire.FrameKind) {
	t.mu.Lock()
	keys := make([]string, 0, len(t.joined))
	for key := range t.joined {
		keys = append(keys, key)
	}
	t.mu.Unlock()
	for _, key := range keys {
		if key != path && !t.isAt(key, path) {
			continue
		}
		t.mu.Lock()
		sockets := slices.Clone(t.joined[key])
		t.mu.Unlock()
		for _, s := range sockets {
			s.mu.Lock()
			kinds = append(kinds, slices.Clone(s.received))
			s.mu.Unlock()
		}
	}
	return kinds
}

// Gaps returns how many of all updates arrived before an update that they depend on.
func (t *Table) Gaps() int { return int(t.gaps.Load()) }

// isAt reports whether a file has that path now.
func (t *Table) isAt(fileID, path string) bool {
	if t.cfg.Files == nil {
		return false
	}
	at, ok := t.cfg.Files.Path(fileID)
	return ok && at == path
}

// Clients returns the number of clients in the rooms of a path.
func (t *Table) Clients(path string) (n int) {
	for _, r := range t.at(path) {
		answer := make(chan int, 1)
		if r.do(func() { answer <- len(r.clients) }) {
			n += <-answer
		}
	}
	return n
}

// Snapshot returns the document of a room on a path, as an update for an empty replica; ok is false if no such room
// is in memory.
func (t *Table) Snapshot(path string) (update []byte, ok bool) {
	for _, r := range t.at(path) {
		answer := make(chan []byte, 1)
		if !r.do(func() {
			whole, _ := r.doc.Diff(nil) // nil if the document is broken
			answer <- whole
		}) {
			continue
		}
		if update = <-answer; update != nil {
			return update, true
		}
	}
	return nil, false
}
