package ydoc

import (
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

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

// Cell is a snapshot of a cell. Its maps and lists are shared with other readers: copy them before changing them.
type Cell struct {
	// ID is unique within the notebook. It is the nbformat id, or that id with a suffix if another cell of the
	// notebook had it first or the cell has none.
	ID string
	// NBID is the cell's nbformat id. It is empty if the document lacks one; several cells may share it.
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
	// ExecutionState is idle or running, or empty if it was never set.
	ExecutionState string
	// Attachments maps file names to MIME bundles; nil if the cell has none.
	Attachments map[string]any
	// Revision changes exactly when any of the above does.
	Revision Revision
	// Fault describes what is wrong with the shape of the cell in the shared document, or is empty. With some faults
	// the server can no longer save the notebook.
	Fault string
}

// Output is one output of a code cell in nbformat's form, as plain JSON values. The text of a stream is one string.
type Output map[string]any

// Type is the output_type.
func (o Output) Type() string {
	s, _ := o["output_type"].(string)
	return s
}

// NewCell describes a cell to insert.
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

// differs returns the parts, among those given, in which two cells differ.
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

// Conversions of plain JSON values read from and written to a document.

func stringValue(v any) string {
	s, _ := v.(string)
	return s
}

func objectValue(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// objectOr returns v if it is an object, else an empty one.
func objectOr(v any) map[string]any {
	if m := objectValue(v); m != nil {
		return m
	}
	return map[string]any{}
}

// countValue returns an execution count, or nil if v is not a count.
func countValue(v any) *int {
	if i, ok := v.(int); ok {
		return &i
	}
	return nil
}

// outputsValue returns a list of outputs. An element that is not an object reads as an empty output.
func outputsValue(v any) []Output {
	l, _ := v.([]any)
	return lo.Map(l, func(o any, _ int) Output { return objectOr(o) })
}

// JoinText returns a text that nbformat may store as a list; between goes between its entries.
func JoinText(v any, between string) string {
	l, ok := v.([]any)
	if !ok {
		return stringValue(v)
	}
	return strings.Join(lo.FilterMap(l, func(one any, _ int) (string, bool) { s, ok := one.(string); return s, ok }), between)
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
