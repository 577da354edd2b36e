package rooms

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Received lists the connections that were ever made to a document, in their order, and of each the kinds of the frames
// that came over it. Those that were refused are among them.
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

// Gaps is how many updates came before one that they build on, of all that ever came.
func (t *Table) Gaps() int { return int(t.gaps.Load()) }

// isAt reports whether a file has that path now.
func (t *Table) isAt(fileID, path string) bool {
	if t.cfg.Files == nil {
		return false
	}
	at, ok := t.cfg.Files.Path(fileID)
	return ok && at == path
}

// Clients is how many clients are in the rooms of a path.
func (t *Table) Clients(path string) (n int) {
	for _, r := range t.at(path) {
		answer := make(chan int, 1)
		if r.do(func() { answer <- len(r.clients) }) {
			n += <-answer
		}
	}
	return n
}

// Snapshot is the document of a room on a path as it is, as one update to be applied to an empty replica; false where
// there is none in memory.
func (t *Table) Snapshot(path string) (update []byte, ok bool) {
	for _, r := range t.at(path) {
		answer := make(chan []byte, 1)
		if !r.do(func() {
			whole, _ := r.doc.Diff(nil) // nil where the document is broken
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
