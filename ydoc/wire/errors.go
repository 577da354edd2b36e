package wire

import "fmt"

// Reason is the kind of error in refused bytes, for callers that handle kinds differently.
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
	// ReasonReference: a struct refers to itself or to a later struct of the same client, or has another on both
	// sides.
	ReasonReference Reason = "impossible reference"
	// ReasonText: a string that is not valid UTF-8.
	ReasonText Reason = "invalid UTF-8"
	// ReasonJSON: a string that should be JSON is not, or has unexpected content.
	ReasonJSON Reason = "invalid JSON"
	// ReasonShape: a value of the wrong kind for its place.
	ReasonShape Reason = "wrong kind of value"
)

// FormatError describes an error in received bytes. None of them were used.
type FormatError struct {
	// What names the message: "update", "state vector", "frame", "awareness update".
	What string
	// Offset is the position of the error, in bytes from the start of the message.
	Offset int
	// Reason is the kind of error.
	Reason Reason
	// Detail describes what was found there.
	Detail string
}

// Kind describes what is malformed and where, without the detail.
func (e *FormatError) Kind() string {
	return fmt.Sprintf("%s refused at byte %d: %s", e.What, e.Offset, e.Reason)
}

// Error describes the message, the place, the kind of error and the detail.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s refused at byte %d: %s: %s", e.What, e.Offset, e.Reason, e.Detail)
}

// Fixed is errors.New for a text without quoted data: the error's Kind is its text, so that it may be logged.
func Fixed(text string) error { return &fixedError{text} }

// A fixedError is used as a pointer, so that two errors with one text are different.
type fixedError struct{ text string }

func (e *fixedError) Error() string { return e.text }

// Kind returns the text as the kind of the error.
func (e *fixedError) Kind() string { return e.text }
