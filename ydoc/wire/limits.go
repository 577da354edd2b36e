package wire

// MaxInt is the largest client id, clock or length: JavaScript's largest safe integer, 2^53−1. Yjs stores all three
// as JavaScript numbers, so larger ones do not survive in a browser.
const MaxInt = 1<<53 - 1

// Limits bounds the input of this package's functions. A zero or negative field accepts nothing of its kind: start
// from [DefaultLimits] and change fields.
//
// The byte limits alone do not bound memory, because small encodings grow when decoded: an item of 4 bytes becomes
// about 600 bytes, a nested document about a kilobyte, a plain value of 1 byte up to 64 bytes. The counts bound that.
type Limits struct {
	// UpdateBytes is the largest update, in bytes.
	UpdateBytes int
	// Structs is the largest number of structs (items, gaps and collected ranges) in one update.
	Structs int
	// Clients is the largest number of clients in the struct part of an update, in its delete set, or in a state
	// vector.
	Clients int
	// DeleteRanges is the largest number of ranges in the delete set of one update.
	DeleteRanges int
	// Values is the largest number of plain (JSON-like) values in one update, including nested ones.
	Values int
	// Subdocs is the largest number of nested documents in one update.
	Subdocs int
	// StringBytes is the largest single string, in bytes of UTF-8, and the largest single binary value.
	StringBytes int
	// KeyBytes is the largest name of a root type, map key, format key, element name or document guid, in bytes.
	KeyBytes int
	// Depth is the deepest nesting of plain values; a bare number has depth 1.
	Depth int
	// AwarenessBytes is the largest awareness update, in bytes.
	AwarenessBytes int
	// AwarenessStateBytes is the largest single awareness state, in bytes of JSON.
	AwarenessStateBytes int
	// AwarenessClients is the largest number of entries in one awareness update, and of peers in a table.
	AwarenessClients int
	// RawBytes is the largest text of a RAW message, in bytes.
	RawBytes int
}

// DefaultLimits is far above a notebook's needs and low enough that one hostile message does not exhaust a laptop:
//
//   - 192 MiB and 1,000,000 structs for an update: a notebook of 1,000 cells and outputs is some 4 MB and 20,000
//     structs, one whose outputs were rewritten 5,000 times 2 MB and 40,000. A million items of the smallest kind
//     decode to about 600 MB in two to three seconds, the worst case.
//   - 8,192 clients: a tab makes a new client id each time it opens a room, which counts once it edits. The library's
//     time for held structs is quadratic in the number of clients: about a second here.
//   - as much for one string, such as an image or a log: refusing it would make its whole notebook unreadable.
//   - 8,000,000 plain values: a plot of several million points; half a gigabyte at worst when all are decoded.
//   - 4,096 levels of plain values: four times as deep as Python's JSON, so that valid files are not refused, and
//     harmless for a decoder with Go's growing stacks.
//   - 4 MiB of awareness with 1,024 clients and 256 KiB each: a state with a user and a cursor is about 500 bytes,
//     and a person may have hundreds of cursors.
var DefaultLimits = Limits{
	UpdateBytes:         192 << 20,
	Structs:             1_000_000,
	Clients:             8_192,
	DeleteRanges:        1_000_000,
	Values:              8_000_000,
	Subdocs:             1_000,
	StringBytes:         192 << 20,
	KeyBytes:            64 << 10,
	Depth:               4096,
	AwarenessBytes:      4 << 20,
	AwarenessStateBytes: 256 << 10,
	AwarenessClients:    1_024,
	RawBytes:            1 << 20,
}
