package crdt

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Limits bounds one replica. A zero or negative field takes its default: Wire is [wire.DefaultLimits], and
// DocumentBytes, Structs and Clients are those of Wire for one update, because joining a document takes one update
// with all of it: a larger document could not be joined again.
type Limits struct {
	// Wire bounds single updates and state vectors; zero as a whole means [wire.DefaultLimits].
	Wire wire.Limits
	// DocumentBytes is the largest encoded state; a larger document breaks.
	DocumentBytes int
	// Structs is the largest number of structs of a document, including deleted ones.
	Structs int
	// Clients is the largest number of clients that may ever have written to a document. The library's cost for each
	// transaction grows with it.
	Clients int
	// HeldBytes and HeldUpdates bound the updates held for missing changes: 4 MiB and 256.
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

// errOversize is the reason when a document breaks its limits.
var errOversize = errors.New("the document is too large")

// growth is by how many bytes the state may grow per byte of an update: a deletion of three bytes cuts a struct in
// three.
const growth = 16

// Measure breaks the document if it exceeds its limits. Call it after writing to the document.
func (r *Replica) Measure() error { return r.measure(0) }

// measure checks the limits after more bytes were applied. The state is only measured when it may exceed them.
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
