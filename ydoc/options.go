package ydoc

import (
	"cmp"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Options configures a replica. The zero value is right for all but tests and simulations.
type Options struct {
	// ClientID is the id under which this replica writes, at most 2^53−1; 0 means a random one of 32 bits. Replicas
	// that ever write to the same document must not share one.
	ClientID uint64
	// Limits bounds the document; zero fields take their defaults.
	Limits Limits
}

// Limits bounds one document. A zero or negative field takes its value from [DefaultLimits], if that has one.
type Limits struct {
	// Replica bounds the size of the document and of the updates applied to it.
	Replica crdt.Limits
	// TextBytes is the largest size of one source or stream after a local edit, in bytes of UTF-8.
	TextBytes int
	// Cells is the largest number of cells after a local edit.
	Cells int
	// Depth is the deepest nesting of written values.
	Depth int
	// HistoryBytes and HistoryVersions bound the older sources kept for three-way merges: bytes per document,
	// versions per cell.
	HistoryBytes, HistoryVersions int
}

// DefaultLimits is far above a notebook's needs and low enough that one room cannot exhaust the process. The size of
// a document is limited by that of an update: 192 MiB, a million structs, 8,192 clients. Local edits are limited
// further, because others have to read them.
var DefaultLimits = Limits{
	TextBytes:       64 << 20,
	Cells:           20_000,
	Depth:           128,
	HistoryBytes:    8 << 20,
	HistoryVersions: 64,
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits
	l.TextBytes = cmp.Or(max(l.TextBytes, 0), d.TextBytes)
	l.Cells = cmp.Or(max(l.Cells, 0), d.Cells)
	l.Depth = cmp.Or(max(l.Depth, 0), d.Depth)
	l.HistoryBytes = cmp.Or(max(l.HistoryBytes, 0), d.HistoryBytes)
	l.HistoryVersions = cmp.Or(max(l.HistoryVersions, 0), d.HistoryVersions)
	return l
}
