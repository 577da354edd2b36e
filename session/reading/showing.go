package reading

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

// Showings are what clients know of one replica. Make it with [NewShowings].
type Showings struct {
	mu   sync.Mutex      // held from reading a showing to putting another in its place
	last memory[showing] // by client and cell
}

// NewShowings makes the showings of a new replica, which nobody was shown.
func NewShowings() *Showings { return &Showings{last: newMemory[showing](revisionsMax)} }

// Forget drops those of a client.
func (s *Showings) Forget(client string) { s.last.forget(client) }

// inReplica is a text as a client has seen it in the one document that a replica is of.
func inReplica(client, cell string) shownKey { return shownKey{client: client, cell: cell} }

// of is what a client knows of a text, if that is known.
func (s *Showings) of(client, cell string) (showing, bool) {
	return s.last.Get(inReplica(client, cell))
}

// drop drops what a client knows of a text.
func (s *Showings) drop(client, cell string) { s.last.Remove(inReplica(client, cell)) }

// show records that a client was shown a text.
func (s *Showings) show(client, cell string, rev ydoc.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := rev
	if was, ok := s.of(client, cell); ok && was.first != stale {
		first = was.first
	}
	s.last.Add(inReplica(client, cell), showing{first, rev})
}

// wrote records that a client has just written a text, or was shown it with all that others have changed.
func (s *Showings) wrote(client, cell string, rev ydoc.Revision) {
	s.last.Add(inReplica(client, cell), showing{rev, rev})
}
