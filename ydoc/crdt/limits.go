package crdt

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Limits bounds one replica. A field that is zero or negative takes its default: that of Wire is [wire.DefaultLimits],
// and DocumentBytes, Structs and Clients follow from what Wire allows one update. A document is joined by one update
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
	// HeldBytes and HeldUpdates bound the updates that wait for what they build on: 4 MiB and 256.
	HeldBytes, HeldUpdates int
}

func (l Limits) orDefaults() Limits {
	if l.Wire == (wire.Limits{}) {
		l.Wire = wire.DefaultLimits
	}
	l.DocumentBytes = cmp.Or(max(l.DocumentBytes, 0), l.Wire.UpdateBytes)
	l.Structs = cmp.Or(max(l.Structs, 0), l.Wire.Structs)
	l.Clients = cmp.Or(max(l.Clients, 0), l.Wire.Clients)
	l.HeldBytes = cmp.Or(max(l.HeldBytes, 0), 4<<20)
	l.HeldUpdates = cmp.Or(max(l.HeldUpdates, 0), 256)
	return l
}

// errOversize is why a document that grew beyond its limits broke.
var errOversize = errors.New("the document is too large")

// growth is by how many bytes the state may grow with each byte of an update: a deletion of three cuts a struct in
// three.
const growth = 16

// Measure breaks the document when it is beyond its limits, and is to be called after it was written to.
func (r *Replica) Measure() error { return r.measure(0) }

// measure looks whether the document, to which more bytes were applied, is within its limits. The state is only
// measured when it may be beyond.
func (r *Replica) measure(more int) error {
	r.grown += more
	if n := len(r.y.Store.Clients); n > r.opt.Limits.Clients {
		return r.oversize("%d clients wrote to it, at most %d are allowed", n, r.opt.Limits.Clients)
	}
	if n := structsIn(r.y.Store); n > r.opt.Limits.Structs {
		return r.oversize("%d structs, at most %d are allowed", n, r.opt.Limits.Structs)
	}
	if r.size+growth*r.grown <= r.opt.Limits.DocumentBytes {
		return nil
	}
	r.size, r.grown = bloatOf(r.y.Store).Encoded, 0
	if r.size > r.opt.Limits.DocumentBytes {
		return r.oversize("%d bytes as encoded, at most %d are allowed", r.size, r.opt.Limits.DocumentBytes)
	}
	return nil
}

func (r *Replica) oversize(format string, args ...any) error {
	return r.fail("measure the document", fmt.Errorf("%w: "+format, append([]any{errOversize}, args...)...))
}
