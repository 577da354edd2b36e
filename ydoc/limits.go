package ydoc

import (
	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// Limits bounds one document. A field that is zero or negative takes its value from [DefaultLimits], where that has one.
type Limits struct {
	// Replica bounds what the document may consist of, and the updates that are applied to it.
	Replica crdt.Limits
	// TextBytes is the largest text that an edit of ours may leave in one source or stream, in bytes of UTF-8.
	TextBytes int
	// Cells is the largest number of cells that an edit of ours may leave.
	Cells int
	// Depth is how deep values that we write may be nested.
	Depth int
	// UndoSteps is the largest number of our edits that can be undone.
	UndoSteps int
	// HistoryBytes and HistoryVersions bound the older sources that are remembered for three-way changes: bytes in one
	// document, versions of one cell.
	HistoryBytes, HistoryVersions int
}

// DefaultLimits is far above a notebook's needs and low enough that one room cannot exhaust the process. What a document
// may be follows from what an update may be: 128 MiB, a million structs, 8,192 clients, 64 MiB a text.
var DefaultLimits = Limits{
	TextBytes:       wire.DefaultLimits.StringBytes,
	Cells:           20_000,
	Depth:           128,
	UndoSteps:       64,
	HistoryBytes:    8 << 20,
	HistoryVersions: 64,
}

func (l Limits) orDefaults() Limits {
	for _, f := range []struct {
		field *int
		value int
	}{
		{&l.TextBytes, DefaultLimits.TextBytes},
		{&l.Cells, DefaultLimits.Cells},
		{&l.Depth, DefaultLimits.Depth},
		{&l.UndoSteps, DefaultLimits.UndoSteps},
		{&l.HistoryBytes, DefaultLimits.HistoryBytes},
		{&l.HistoryVersions, DefaultLimits.HistoryVersions},
	} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return l
}
