package crdt

import (
	"fmt"

	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// ErrPending means that an update, or a part of it, depends on a change missing in this replica. It is held, within
// limits, until the change arrives; meanwhile the document is not synchronised. Ask the peer for its state again.
var ErrPending = wire.Fixed("update refers to missing changes")

// Apply applies an update from a peer, as the server passes it on. It is checked completely first: after a
// *[wire.FormatError] nothing has been applied. [ErrPending] means that all or part of it depends on changes missing
// here: that part is held and retried after each later update; ask the peer for its state. [ErrBroken] means that the
// document must be discarded. Applying an update twice has no effect; update is not kept.
func (r *Replica) Apply(update []byte) error { return r.ApplyVia(update, ViaUpdate) }

// ApplyState is Apply for the full state of a peer. A state that lacks only a server's first change, on which nothing
// depends, counts as complete.
func (r *Replica) ApplyState(update []byte) error { return r.ApplyVia(update, ViaState) }

// Via is how changes of others arrive.
type Via int

const (
	// ViaUpdate means passed on by the server, in its order.
	ViaUpdate Via = iota
	// ViaDiff means a peer's answer to this replica's state vector, which does not show the order of the changes.
	ViaDiff
	// ViaState means the full state of a peer.
	ViaState
)

// ApplyVia is Apply for changes that arrive by another way.
func (r *Replica) ApplyVia(update []byte, by Via) error {
	if err := wire.CheckUpdate(update, r.opt.Limits.Wire); err != nil {
		return err
	}
	return r.Do("apply an update", func() error {
		complete, gap := r.integrate(update, by)
		if len(r.held) > 0 {
			r.retryHeld()
			if !complete {
				complete, gap = r.integrate(update, by)
			}
		}
		if !complete {
			r.hold(update)
		}
		r.carry()
		if err := r.measure(len(update)); err != nil {
			return err
		}
		if r.y.ClientID != int(r.client) {
			return r.fail("apply an update", fmt.Errorf("another client writes as %d, which is this replica's id", r.client))
		}
		switch {
		case gap != nil:
			return gap
		case !complete:
			return ErrPending
		}
		return nil
	})
}

// Held is the number of updates held because of missing changes.
func (r *Replica) Held() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held)
}

// integrate applies an update. It reports whether the document had everything that the update depends on, and which
// changes its content lacks. Parts that cannot be placed are dropped.
func (r *Replica) integrate(update []byte, by Via) (complete bool, gap *GapError) {
	complete = true
	ycrdt.Transact(r.y, func(trans *ycrdt.Transaction) {
		trans.Local = false
		dec := decoder{input: update, r: wire.NewReader("update", update), doc: r.y, keys: r.opt.Keys, work: work{maxWork}}
		if len(r.copies) > 0 {
			dec.copied = r.isCopied
		}
		dec.noted = len(r.copies)+len(r.unheard) > 0 || by == ViaUpdate && len(r.Races.all) > 0
		structs := dec.structs()
		if by == ViaState {
			r.holes.fill(r.y.Store, structs)
		}
		r.look(structs)
		if own := structs[int(r.client)]; own != nil {
			r.echo(own.Refs)
		}
		ends := r.Races.endsOf(structs)
		if rest := ycrdt.IntegrateStructs(trans, r.y.Store, structs); rest != nil {
			complete, gap = false, &GapError{Missing: map[uint64]uint64{}}
			for client, clock := range rest.Missing {
				gap.Missing[uint64(client)] = uint64(clock)
			}
		}
		if dec.deletes(trans) {
			complete = false
		}
		if by == ViaUpdate {
			for _, c := range r.Races.all {
				c.passedOn(r.y.ClientID, ends, &dec.deleted)
			}
		}
		r.late.removed = append(r.late.removed, dec.deleted.genuine()...)
		r.hearDeletions(&dec.deleted)
		r.hearFound(&dec.deleted)
		r.deleting = &dec.deleted
	}, nil, false)
	r.deleting = nil
	return complete, gap
}

// hold keeps an update for later. If too much is held, the oldest updates are dropped: they arrive again with the
// peer's state, which the caller asks for anyway.
func (r *Replica) hold(update []byte) {
	if len(update) > r.opt.Limits.HeldBytes {
		return
	}
	r.held = append(r.held, append([]byte(nil), update...))
	r.heldSize += len(update)
	for r.heldSize > r.opt.Limits.HeldBytes || len(r.held) > r.opt.Limits.HeldUpdates {
		r.heldSize -= len(r.held[0])
		r.held = r.held[1:]
	}
}

// retryHeld applies held updates until no more of them fit.
func (r *Replica) retryHeld() {
	for progress := true; progress && len(r.held) > 0; {
		progress = false
		waiting := r.held
		r.held, r.heldSize = nil, 0
		for _, update := range waiting {
			if complete, _ := r.integrate(update, ViaDiff); complete {
				progress = true
				continue
			}
			r.held = append(r.held, update)
			r.heldSize += len(update)
		}
	}
}
