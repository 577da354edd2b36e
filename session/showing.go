package session

import (
	"sync"

	"github.com/nbduet/nbduet/ydoc"
)

// stale is the revision of a text that the client expects but the document never had, because an edit was merged with
// changes that the client has not seen.
const stale = ydoc.Revision(0)

// A showing is what a client knows of a text: the revisions at which it was shown it since it last wrote it. Several
// agents may share one client. What one of them has read is not known to the others, and so the first showing counts
// where a write does not say from which one it was made.
type showing struct{ first, last ydoc.Revision }

// showings are those of one replica. Make it with newShowings.
type showings struct {
	mu sync.Mutex // held from reading a showing to putting another in its place
	memory[showing]
}

func newShowings() *showings { return &showings{memory: newMemory[showing](revisionsMax)} }

// show records that a client was shown a text.
func (s *showings) show(key shownKey, rev ydoc.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := rev
	if was, ok := s.Get(key); ok && was.first != stale {
		first = was.first
	}
	s.Add(key, showing{first, rev})
}

// wrote records that a client has just written a text, or was shown it with all that others have changed.
func (s *showings) wrote(key shownKey, rev ydoc.Revision) { s.Add(key, showing{rev, rev}) }
