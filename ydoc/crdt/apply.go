package crdt

import (
	"fmt"

	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// ErrPending says that an update, or a part of it, builds on something that this replica has not got. It is held back,
// bounded, until that arrives; meanwhile the document counts as not synchronised. Ask the peer for its state again.
var ErrPending = wire.Fixed("update refers to missing changes")

// Apply takes in an update from a peer, as the server passes it on. It is checked completely first; a
// *[wire.FormatError] means that nothing of it was used. [ErrPending] means that it, or a part, builds on changes that are
// missing here: that part is held back and tried again after each later update, and the peer should be asked for its state.
// [ErrBroken] means that the document is to be thrown away. Applying an update twice has no effect; update is not kept.
func (r *Replica) Apply(update []byte) error { return r.ApplyVia(update, ViaUpdate) }

// ApplyState is Apply for all that a peer has. Where that lacks the first change that a server has made, on which nothing
// builds, it is complete.
func (r *Replica) ApplyState(update []byte) error { return r.ApplyVia(update, ViaState) }

// Via is how changes of others come.
type Via int

const (
	// ViaUpdate says that the server passes them on, in its order.
	ViaUpdate Via = iota
	// ViaDiff says that they are what a peer has and this replica lacks, which does not say in which order that came about.
	ViaDiff
	// ViaState says that they are all that a peer has.
	ViaState
)

// ApplyVia is Apply for changes that come in another way.
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

// Held is the number of updates that are held back because of missing changes.
func (r *Replica) Held() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held)
}

// integrate applies an update and reports whether the document had all that it builds on, and what its content lacks.
// What it cannot place is dropped.
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

// hold keeps an update for later, unless too much is kept already: then the oldest go. They come again with the peer's
// state, which is to be asked for anyway.
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

// retryHeld applies what was held back, until nothing more fits.
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
