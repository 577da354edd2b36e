package reading

import (
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/spans"
)

const (
	// revisionsMax bounds the revisions that an open document keeps, for all clients and cells.
	revisionsMax = 16384
	// sourcesMax bounds the source hashes that a memory keeps, about 100 bytes each.
	sourcesMax = 50_000
	// partsMax bounds the texts of which a memory knows which parts clients were shown.
	partsMax = 4096
)

// A Memory is what clients were shown of the documents of one server, for longer than these are open. Make it with
// [NewMemory].
type Memory struct {
	sources sources
	parts   memory[parts]
	lists   *lists
}

// NewMemory makes an empty memory.
func NewMemory() *Memory {
	return &Memory{sources: newSources(), parts: newMemory[parts](partsMax), lists: newLists()}
}

// Made records that a client knows a source because it created it: a cell of a new notebook, or, without a cell, a
// text, whatever was at its path before.
func (m *Memory) Made(client string, path jupyter.Path, cell, source string) {
	m.sources.show(shownKey{client: client, path: path, cell: cell}, source)
	if cell == whole {
		m.parts.Add(shownKey{client: client, path: path, cell: whole}, parts{hash: m.sources.hash(source), known: spans.Set{{To: len(source)}}})
	}
}

// Move keeps what clients were shown of a file, or of those in a folder, for its new path.
func (m *Memory) Move(from, to jupyter.Path) {
	m.sources.move(from, to)
	m.parts.move(from, to)
}

// Forget drops what a client was shown. [Showings.Forget] does it for the replicas.
func (m *Memory) Forget(client string) {
	m.sources.forget(client)
	m.parts.forget(client)
	m.lists.forget(client)
}

// shownKey is one cell of a document as one client has seen it, or, with a file's id alone, a notebook's list.
type shownKey struct {
	client string
	path   jupyter.Path
	cell   string
	file   string
}

// A memory is a cache with a value for each cell that each client was shown. It is safe for concurrent use, and drops
// the least recently used cells first.
type memory[V any] struct{ *lru.Cache[shownKey, V] }

func newMemory[V any](size int) memory[V] {
	c, err := lru.New[shownKey, V](size)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return memory[V]{c}
}

// forget drops the values of a client.
func (m memory[V]) forget(client string) {
	for _, key := range m.Keys() {
		if key.client == client {
			m.Remove(key)
		}
	}
}

// move keeps the values of what was at or under a path for its new place.
func (m memory[V]) move(from, to jupyter.Path) {
	for _, key := range m.Keys() {
		if !key.path.Under(from) {
			continue
		}
		if v, ok := m.Peek(key); ok {
			m.Remove(key)
			key.path = key.path.Moved(from, to)
			m.Add(key, v)
		}
	}
}

// sources keep the hash of each source as each client was last shown it.
type sources struct {
	memory[uint64]
	seed maphash.Seed
}

func newSources() sources {
	return sources{newMemory[uint64](sourcesMax), maphash.MakeSeed()}
}

func (s sources) hash(source string) uint64 { return maphash.String(s.seed, source) }

func (s sources) show(key shownKey, source string) { s.Add(key, s.hash(source)) }

// spoil records a hash that does not match the source, so that it counts as changed.
func (s sources) spoil(key shownKey, source string) { s.Add(key, ^s.hash(source)) }

// knows tells whether a client was shown the cell, and whether with this source.
func (s sources) knows(key shownKey, source string) (known, same bool) {
	last, ok := s.Get(key)
	return ok, ok && last == s.hash(source)
}
