package readset

import (
	"hash/maphash"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/textdiff/ranges"
)

const (
	// showingsMax bounds the cells and texts whose showings a memory keeps, about 200 bytes each.
	showingsMax = 50_000
	// textsMax bounds the bytes of all texts that a memory keeps.
	textsMax = 16 << 20
	// textBytes is the overhead of a text besides its bytes.
	textBytes = 128
	// partsMax bounds the texts whose known parts a memory keeps.
	partsMax = 4096
)

// A Memory records what clients were shown of the documents of one server. It outlives the documents. Make it with
// [NewMemory].
type Memory struct {
	mu       sync.Mutex // held from reading a showing until it is replaced
	showings memory[showing]
	texts    *texts
	parts    memory[parts]
	lists    *lists
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{showings: newMemory[showing](showingsMax), texts: newTexts(textsMax), parts: newMemory[parts](partsMax), lists: newLists()}
}

// Made records that a client knows a source because it created it: a cell of a new notebook or, without a cell, a text that
// replaced the file at its path.
func (m *Memory) Made(client string, path jupyter.Path, cell, source string) {
	key, id := shownKey{client: client, path: path, cell: cell}, m.texts.add(source)
	m.showings.Add(key, showing{first: id, last: id})
	if cell == whole {
		m.parts.Add(key, parts{id, ranges.Set{{To: len(source)}}})
	}
}

// Move moves the records of a file, or of the files in a folder, to its new path.
func (m *Memory) Move(from, to jupyter.Path) {
	m.showings.move(from, to)
	m.parts.move(from, to)
}

// Forget drops the records of a client.
func (m *Memory) Forget(client string) {
	m.showings.forget(client)
	m.parts.forget(client)
	m.lists.forget(client)
}

// shownKey identifies a cell of a document as seen by one client or, with only a file's id, a notebook's list.
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
	return memory[V]{lo.Must(lru.New[shownKey, V](size))}
}

// forget drops the values of a client.
func (m memory[V]) forget(client string) {
	for _, key := range m.Keys() {
		if key.client == client {
			m.Remove(key)
		}
	}
}

// move moves the values at or under a path to its new place.
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

// A textID identifies a text by its content. It is never 0.
type textID uint64

// texts holds the texts that clients were shown or have sent, each once even if many clients know it. It is safe for
// concurrent use, and drops the least recently used texts when the total is too large.
type texts struct {
	seed maphash.Seed
	max  int

	mu    sync.Mutex
	bytes int
	kept  *simplelru.LRU[textID, string]
}

func newTexts(maxBytes int) *texts {
	t := &texts{seed: maphash.MakeSeed(), max: maxBytes}
	t.kept = lo.Must(simplelru.NewLRU(maxBytes/textBytes, func(_ textID, text string) { t.bytes -= len(text) + textBytes }))
	return t
}

// id returns the id of a text, whether it is kept or not.
func (t *texts) id(text string) textID { return textID(max(1, maphash.String(t.seed, text))) }

// add keeps a text.
func (t *texts) add(text string) textID {
	id := t.id(text)
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, have := t.kept.Get(id); have || len(text)+textBytes > t.max {
		return id
	}
	t.bytes += len(text) + textBytes
	t.kept.Add(id, text)
	for t.bytes > t.max {
		t.kept.RemoveOldest()
	}
	return id
}

// of returns a text that is still kept.
func (t *texts) of(id textID) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept.Get(id)
}

// parts are the parts of a text that a client knows.
type parts struct {
	of    textID
	known ranges.Set
}
