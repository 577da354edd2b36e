package ydoc

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// The keys of a cell's shared map (jupyter_ydoc, ynotebook.py; @jupyter/ydoc, ycell.ts).
const (
	keyID          = "id"
	keyType        = "cell_type"
	keySource      = "source"
	keyMetadata    = "metadata"
	keyOutputs     = "outputs"
	keyCount       = "execution_count"
	keyState       = "execution_state"
	keyAttachments = "attachments"
)

// The types of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// The execution states of code cells.
const (
	Idle    = "idle"
	Running = "running"
)

// Cell is a cell as it was when it was read. The maps and lists in it are shared with other readers: copy what is to be
// changed.
type Cell struct {
	// ID names the cell in this process: no other cell of the notebook has it. It is the nbformat id, or, where another cell
	// of the notebook had that first, or there is none, the id with a suffix.
	ID string
	// NBID is the cell's nbformat id. It is empty where the document lacks one, and several cells may have it.
	NBID string
	// Type is code, markdown or raw; empty or something else in a malformed cell.
	Type string
	// Source is the cell's text.
	Source string
	// Metadata is never nil.
	Metadata map[string]any
	// Outputs is nil for cells other than code cells.
	Outputs []Output
	// ExecutionCount is nil if absent.
	ExecutionCount *int
	// ExecutionState is idle or running, or empty where nobody has set it.
	ExecutionState string
	// Attachments maps file names to MIME bundles; nil when there are none.
	Attachments map[string]any
	// Revision changes exactly when any of the above does.
	Revision Revision
	// Fault says what is wrong with the shape of the cell in the shared document, where something is. With some faults
	// the server cannot save the notebook any more.
	Fault string
}

// Output is one output of a code cell in nbformat's form, of plain JSON values. The text of a stream is one string.
type Output map[string]any

// Type is the output_type.
func (o Output) Type() string {
	s, _ := o["output_type"].(string)
	return s
}

// NewCell says what cell is to be made.
type NewCell struct {
	// ID is 1 to 64 letters, digits, "-" or "_"; empty means a random one.
	ID string
	// Type is code, markdown or raw.
	Type string
	// Source is the text. Line ends become "\n".
	Source string
	// Metadata may be nil.
	Metadata map[string]any
	// Attachments may be nil; code cells have none.
	Attachments map[string]any
}

// fields is a set of parts of a cell.
type fields uint16

const (
	fieldID fields = 1 << iota
	fieldType
	fieldSource
	fieldMetadata
	fieldOutputs
	fieldCount
	fieldState
	fieldAttachments

	allFields fields = 1<<iota - 1
)

var fieldOf = map[string]fields{
	keyID: fieldID, keyType: fieldType, keySource: fieldSource, keyMetadata: fieldMetadata,
	keyOutputs: fieldOutputs, keyCount: fieldCount, keyState: fieldState, keyAttachments: fieldAttachments,
}

// samePart compares two cells in one part each, in the order of the fields' bits.
var samePart = [...]func(a, b *Cell) bool{
	func(a, b *Cell) bool { return a.ID == b.ID && a.NBID == b.NBID },
	func(a, b *Cell) bool { return a.Type == b.Type },
	func(a, b *Cell) bool { return a.Source == b.Source },
	func(a, b *Cell) bool { return crdt.EqualObjects(a.Metadata, b.Metadata) },
	func(a, b *Cell) bool { return equalOutputs(a.Outputs, b.Outputs) },
	func(a, b *Cell) bool { return equalCounts(a.ExecutionCount, b.ExecutionCount) },
	func(a, b *Cell) bool { return a.ExecutionState == b.ExecutionState },
	func(a, b *Cell) bool { return crdt.EqualObjects(a.Attachments, b.Attachments) },
}

// differs lists the parts in which two cells differ, among those asked for.
func (c *Cell) differs(o *Cell, among fields) (diff fields) {
	for i, same := range samePart {
		if part := fields(1 << i); among&part != 0 && !same(c, o) {
			diff |= part
		}
	}
	return diff
}

func equalOutputs(a, b []Output) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, func(a, b Output) bool { return crdt.EqualObjects(a, b) })
}

func equalCounts(a, b *int) bool {
	return a == b || a != nil && b != nil && *a == *b
}
