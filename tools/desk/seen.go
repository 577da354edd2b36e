package desk

import (
	"context"
	"fmt"
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// seenCells bounds how many cells are remembered over all clients, 100 bytes or so each.
const seenCells = 50_000

// seen remembers the hash of each cell's source as each client was last shown it.
//
// While a document is open the session package knows the very revision that a client was shown, and a new source is
// merged as a change from it. That knowledge ends with the document, after five idle minutes or so; what a client was
// shown before is then known here, well enough to tell whether somebody has changed the cell since.
//
// It is safe for concurrent use; the cells not used for longest are forgotten first.
type seen struct {
	Cells *lru.Cache[seenKey, uint64]
	seed  maphash.Seed
}

type seenKey struct{ client, path, cell string }

func newSeen() (*seen, error) {
	cells, err := lru.New[seenKey, uint64](seenCells)
	if err != nil {
		return nil, fmt.Errorf("make the memory of shown cells: %w", err)
	}
	return &seen{Cells: cells, seed: maphash.MakeSeed()}, nil
}

// Show notes that the client of ctx is shown the cell as it is in c.
func (s *seen) Show(ctx context.Context, doc *session.Document, c ydoc.Cell) {
	client := tool.ClientOf(ctx)
	doc.Show(client, c.ID, c.Revision)
	s.Cells.Add(seenKey{client, doc.Path(), c.ID}, s.hash(c.Source))
}

// Outdated tells whether the client of ctx was shown the cell once, with another source than it has now.
func (s *seen) Outdated(ctx context.Context, path string, c ydoc.Cell) bool {
	last, ok := s.Cells.Get(seenKey{tool.ClientOf(ctx), path, c.ID})
	return ok && last != s.hash(c.Source)
}

func (s *seen) hash(source string) uint64 { return maphash.String(s.seed, source) }

// forget lets go of what a client was shown.
func (s *seen) forget(client string) {
	for _, key := range s.Cells.Keys() {
		if key.client == client {
			s.Cells.Remove(key)
		}
	}
}

// MakeCell notes that the client of ctx has made a cell of a new notebook.
func (s *seen) MakeCell(ctx context.Context, path string, id, source string) {
	s.Cells.Add(seenKey{tool.ClientOf(ctx), path, id}, s.hash(source))
}
