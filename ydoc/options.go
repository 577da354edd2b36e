package ydoc

import (
	"cmp"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Options says how a replica is made. The zero value is right for all but tests and simulations.
type Options struct {
	// ClientID is the id under which this replica writes, at most 2^53−1; 0 means a random one of 32 bits. No two
	// replicas that ever write to the same document may share one.
	ClientID uint64
	// Limits bounds the document; zero fields take their defaults.
	Limits Limits
}

// Limits bounds one document. A field that is zero or negative takes its value from [DefaultLimits], where that has
// one.
type Limits struct {
	// Replica bounds what the document may consist of, and the updates that are applied to it.
	Replica crdt.Limits
	// TextBytes is the largest text that an edit of ours may leave in one source or stream, in bytes of UTF-8.
	TextBytes int
	// Cells is the largest number of cells that an edit of ours may leave.
	Cells int
	// Depth is how deep values that we write may be nested.
	Depth int
	// HistoryBytes and HistoryVersions bound the older sources that are remembered for three-way changes: bytes in one
	// document, versions of one cell.
	HistoryBytes, HistoryVersions int
}

// DefaultLimits is far above a notebook's needs and low enough that one room cannot exhaust the process. What a
// document may be follows from what an update may be: 192 MiB, a million structs, 8,192 clients. Ours is less: others
// have to read it.
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
