package wire

import "fmt"

// Reason says in one word why bytes were refused, for callers that act differently on different faults.
type Reason string

// The reasons a [FormatError] can carry.
const (
	// ReasonTruncated: the input ends inside a value, or a length points beyond its end.
	ReasonTruncated Reason = "truncated"
	// ReasonTrailing: bytes are left after the end of the message.
	ReasonTrailing Reason = "trailing bytes"
	// ReasonOverflow: an integer, or the sum of a clock and a length, is beyond [MaxInt].
	ReasonOverflow Reason = "integer overflow"
	// ReasonLimit: a [Limits] field is exceeded.
	ReasonLimit Reason = "limit exceeded"
	// ReasonUnknown: a content, type or value tag that Yjs version 1 does not have.
	ReasonUnknown Reason = "unknown tag"
	// ReasonEmpty: a struct, a delete range or a gap of length zero.
	ReasonEmpty Reason = "zero length"
	// ReasonDuplicate: the same client twice, which decoders read differently.
	ReasonDuplicate Reason = "duplicate client"
	// ReasonReference: a struct refers to itself or to a later struct of its own client, or stands on both sides of
	// another.
	ReasonReference Reason = "impossible reference"
	// ReasonText: a string that is not valid UTF-8.
	ReasonText Reason = "invalid UTF-8"
	// ReasonJSON: a string that should be JSON is not, or is not what it should be.
	ReasonJSON Reason = "invalid JSON"
	// ReasonShape: a value of the wrong kind for its place.
	ReasonShape Reason = "wrong kind of value"
)

// FormatError says what is wrong with bytes that were received. Nothing of them was used.
type FormatError struct {
	// What names the message: "update", "state vector", "frame", "awareness update".
	What string
	// Offset is the position, in bytes from the start of the message, where the fault was noticed.
	Offset int
	// Reason is the kind of fault.
	Reason Reason
	// Detail says what exactly was found there.
	Detail string
}

// Kind says what is malformed and where, without the detail.
func (e *FormatError) Kind() string {
	return fmt.Sprintf("%s refused at byte %d: %s", e.What, e.Offset, e.Reason)
}

// Error names the message, the place, the kind of fault and what was found.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s refused at byte %d: %s: %s", e.What, e.Offset, e.Reason, e.Detail)
}
