package deps

import (
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// piecesKept is the maximum number of texts of one client that Pieces records.
const piecesKept = 500

// Pieces records how far each client has read a file that it is shown in pieces: the client must not replace text that it
// has not reached. The zero value is ready for use and safe for concurrent use.
type Pieces struct {
	clients PerClient[*lru.Cache[jupyter.Path, piece]]
}

// A piece is the beginning of a text that a client has been shown.
type piece struct {
	end  int    // in bytes
	hash uint64 // of that beginning
}

var pieceSeed = maphash.MakeSeed()

func (p *Pieces) with(client string, do func(mine *lru.Cache[jupyter.Path, piece])) {
	p.clients.With(client, func() *lru.Cache[jupyter.Path, piece] { return lo.Must(lru.New[jupyter.Path, piece](piecesKept)) }, do)
}

// Read records that a client is shown a text from one byte up to another, and reports whether it has now read the text to
// its end.
func (p *Pieces) Read(client string, path jupyter.Path, text string, from, to int) (all bool) {
	reached := p.Reached(client, path, text)
	if from > reached {
		return false // the text between is unread
	}
	to = max(to, reached)
	p.with(client, func(mine *lru.Cache[jupyter.Path, piece]) {
		mine.Add(path, piece{to, maphash.String(pieceSeed, text[:to])})
	})
	return to == len(text)
}

// Reached returns how many bytes of a text, from its beginning, the client has been shown; 0 if it was shown none of it, or
// the beginning has changed since.
func (p *Pieces) Reached(client string, path jupyter.Path, text string) (n int) {
	p.with(client, func(mine *lru.Cache[jupyter.Path, piece]) {
		if was, ok := mine.Get(path); ok && was.end <= len(text) && maphash.String(pieceSeed, text[:was.end]) == was.hash {
			n = was.end
		}
	})
	return n
}

// Drop forgets how far a client has read a text, because the client has written the whole text.
func (p *Pieces) Drop(client string, path jupyter.Path) {
	p.with(client, func(mine *lru.Cache[jupyter.Path, piece]) { mine.Remove(path) })
}

// by the run's id
