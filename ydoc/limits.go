package ydoc

import "github.com/nbduet/nbduet/ydoc/wire"

// Limits bounds one document. A field that is zero or negative takes its value from [DefaultLimits], save for
// DocumentBytes, Structs and Clients: those follow from what Wire allows one update. A document is joined by one update
// that holds all of it, so one that grew larger could not be joined afresh.
type Limits struct {
	// Wire bounds single updates and state vectors; zero as a whole means [wire.DefaultLimits].
	Wire wire.Limits
	// DocumentBytes is the largest document, in bytes of its state as encoded; beyond it the document breaks.
	DocumentBytes int
	// Structs is the largest number of structs that a document may consist of, deleted ones included.
	Structs int
	// Clients is the largest number of clients that may ever have written to a document. The library's cost for each
	// transaction grows with it.
	Clients int
	// TextBytes is the largest text that an edit of ours may leave in one source or stream, in bytes of UTF-8.
	TextBytes int
	// Cells is the largest number of cells that an edit of ours may leave.
	Cells int
	// Depth is how deep values that we write may be nested.
	Depth int
	// HeldBytes and HeldUpdates bound the updates that wait for what they build on.
	HeldBytes, HeldUpdates int
	// UndoSteps is the largest number of our edits that can be undone.
	UndoSteps int
	// HistoryBytes and HistoryVersions bound the older sources that are remembered for three-way changes: bytes in one
	// document, versions of one cell.
	HistoryBytes, HistoryVersions int
}

// DefaultLimits is far above a notebook's needs and low enough that one room cannot exhaust the process. What a document
// may be follows from what an update may be: 128 MiB, a million structs, 8,192 clients, 64 MiB a text.
var DefaultLimits = Limits{
	Wire:            wire.DefaultLimits,
	DocumentBytes:   wire.DefaultLimits.UpdateBytes,
	Structs:         wire.DefaultLimits.Structs,
	Clients:         wire.DefaultLimits.Clients,
	TextBytes:       wire.DefaultLimits.StringBytes,
	Cells:           20_000,
	Depth:           128,
	HeldBytes:       4 << 20,
	HeldUpdates:     256,
	UndoSteps:       64,
	HistoryBytes:    8 << 20,
	HistoryVersions: 64,
}

func (l Limits) orDefaults() Limits {
	if l.Wire == (wire.Limits{}) {
		l.Wire = DefaultLimits.Wire
	}
	for _, f := range []struct {
		field *int
		value int
	}{
		{&l.DocumentBytes, l.Wire.UpdateBytes},
		{&l.Structs, l.Wire.Structs},
		{&l.Clients, l.Wire.Clients},
		{&l.TextBytes, DefaultLimits.TextBytes},
		{&l.Cells, DefaultLimits.Cells},
		{&l.Depth, DefaultLimits.Depth},
		{&l.HeldBytes, DefaultLimits.HeldBytes},
		{&l.HeldUpdates, DefaultLimits.HeldUpdates},
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
