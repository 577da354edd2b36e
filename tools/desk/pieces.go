package desk

import (
	"hash/maphash"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// piecesKept is of how many texts of one client it is known how far it has read them.
const piecesKept = 500

// Pieces records how far each client has read a text that it is shown piece by piece: what it has not reached, it must
// not replace. The zero value is ready for use and safe for concurrent use.
type Pieces struct {
	clients PerClient[*simplelru.LRU[string, piece]]
}

// A piece is the beginning of a text that a client has been shown.
type piece struct {
	end  int    // in characters
	hash uint64 // of it
}

var pieceSeed = maphash.MakeSeed()

func hashOf(runes []rune) uint64 {
	return maphash.String(pieceSeed, string(runes))
}

func (p *Pieces) with(client string, do func(mine *simplelru.LRU[string, piece])) {
	p.clients.With(client, func() *simplelru.LRU[string, piece] { return newLRU[string, piece](piecesKept) }, do)
}

// Reading begins a reading of a text from a character on. The function that it returns records where the piece that is
// shown ends; the last call counts.
func (p *Pieces) Reading(client, path string, text []rune, from int) (shown func(end int)) {
	reached := p.Reached(client, path, text)
	return func(end int) {
		if from > reached {
			return // there is something between
		}
		to := max(end, reached)
		p.with(client, func(mine *simplelru.LRU[string, piece]) { mine.Add(path, piece{to, hashOf(text[:to])}) })
	}
}

// Reached is how many characters of a text, from its beginning, the client has been shown; 0 if it was shown none of it,
// or its beginning has changed since.
func (p *Pieces) Reached(client, path string, text []rune) (n int) {
	p.with(client, func(mine *simplelru.LRU[string, piece]) {
		if was, ok := mine.Get(path); ok && was.end <= len(text) && hashOf(text[:was.end]) == was.hash {
			n = was.end
		}
	})
	return n
}

// Began tells whether a client was shown a text piece by piece at all.
func (p *Pieces) Began(client, path string) (ok bool) {
	p.with(client, func(mine *simplelru.LRU[string, piece]) { ok = mine.Contains(path) })
	return ok
}

// Drop forgets how far a client has read a text: it has written it as a whole.
func (p *Pieces) Drop(client, path string) {
	p.with(client, func(mine *simplelru.LRU[string, piece]) { mine.Remove(path) })
}
