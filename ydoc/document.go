package ydoc

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	crdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Doc is one replica of a shared document. Each method may be called from any goroutine.
//
// A Doc is made by [NewNotebook] or [NewText], which say what it is read as.
type Doc struct {
	mu     sync.Mutex
	y      *crdt.Doc
	client uint64
	limits Limits
	err    error // why the document is broken, or nil

	onUpdate func(update []byte)
	held     [][]byte // updates that wait for what they build on
	heldSize int
	model    model
	subs     map[*Subscription]struct{}
	history  history
	turn     int  // counts transactions
	rough    bool // whether the transaction of ours changes lists without keeping their marks

	size  int // of the state as encoded when it was last measured
	grown int // bytes applied and written since then
}

// model is what a document is read as.
type model interface {
	// changed is called at the end of each transaction, with the document locked.
	changed(trans *crdt.Transaction)
	// changesSince says what became different since a revision, with the document locked.
	changesSince(r Revision) Changes
}

// Options says how a replica is made. The zero value is right for all but tests and simulations.
type Options struct {
	// ClientID is the id under which this replica writes, at most 2^53−1; 0 means a random one of 32 bits. No two
	// replicas that ever write to the same document may share one.
	ClientID uint64
	// Limits bounds the document; zero fields take their defaults.
	Limits Limits
}

func newDoc(o Options, m model) *Doc {
	if o.ClientID == 0 {
		o.ClientID = randomID()
	}
	d := &Doc{client: o.ClientID, limits: o.Limits.orDefaults(), model: m}
	d.y = crdt.NewDoc("", false, nil, nil, false) // collecting is ours, see collect.go
	d.y.ClientID = int(o.ClientID)
	d.y.On("afterTransaction", crdt.NewObserverHandler(func(v ...interface{}) {
		d.afterTransaction(v[0].(*crdt.Transaction))
	}))
	d.y.On("afterTransactionCleanup", crdt.NewObserverHandler(func(v ...interface{}) {
		d.emit(v[0].(*crdt.Transaction))
	}))
	return d
}

// randomID is a client id of 32 bits other than 0, which is the server's.
func randomID() uint64 {
	var b [4]byte
	for {
		_, _ = rand.Read(b[:]) // never fails
		if id := binary.BigEndian.Uint32(b[:]); id != 0 {
			return uint64(id)
		}
	}
}

// ClientID is the id under which this replica writes, and under which its awareness should be published.
func (d *Doc) ClientID() uint64 { return d.client }

// Err says why the document is broken, as an error that matches [ErrBroken], or nil.
func (d *Doc) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// do runs f with the document locked and guarded: a panic, ours or the library's, breaks the document.
func (d *Doc) do(op string, f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	return d.guard(op, f)
}

// read is do for methods that have no error: on a broken document f is not run.
func (d *Doc) read(op string, f func()) {
	_ = d.do(op, func() error { f(); return nil })
}

func (d *Doc) guard(op string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = d.fail(op, r)
		}
	}()
	return f()
}

// fail breaks the document. Its content is let go: nothing can be done with it.
func (d *Doc) fail(op string, cause any) error {
	err, ok := cause.(error)
	if !ok {
		err = fmt.Errorf("%v", cause)
	}
	d.err = &brokenError{op: op, cause: err}
	for s := range d.subs {
		s.wake()
	}
	return d.err
}

// StateVector encodes what this replica has, for a peer to answer with what it lacks.
func (d *Doc) StateVector() (sv []byte, err error) {
	err = d.do("state vector", func() error {
		have := make(map[uint64]uint64, len(d.y.Store.Clients))
		for client := range d.y.Store.Clients {
			have[uint64(client)] = uint64(crdt.GetState(d.y.Store, client))
		}
		sv = wire.EncodeStateVector(have)
		return nil
	})
	return sv, err
}

// Diff encodes what a peer with that state vector lacks. Nil or an empty slice stands for a peer that has nothing.
// Every deletion is part of it, as in Yjs. Updates that are held back are not.
func (d *Doc) Diff(stateVector []byte) (update []byte, err error) {
	have := map[uint64]uint64{}
	if len(stateVector) > 0 {
		if have, err = wire.ParseStateVector(stateVector, d.limits.Wire); err != nil {
			return nil, err
		}
	}
	err = d.do("encode the state", func() error {
		update = appendStructs(nil, d.y.Store, func(client int) int { return int(have[uint64(client)]) })
		update = appendDeletes(update, deletedIn(d.y.Store))
		return nil
	})
	return update, err
}

// OnUpdate has f called with the update of each transaction of this replica's own, in order. It is called with the
// document locked: it must only put the update aside, and may keep it. There is one such function; nil removes it.
func (d *Doc) OnUpdate(f func(update []byte)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onUpdate = f
}

// Apply takes in an update from a peer. It is checked completely first; a *[wire.FormatError] means that nothing of it
// was used. ErrPending means that it, or a part, builds on changes that are missing here: that part is held back and tried
// again after each later update, and the peer should be asked for its state. ErrBroken means that the document is to be
// thrown away. Applying an update twice has no effect; update is not kept.
func (d *Doc) Apply(update []byte) error {
	if err := wire.CheckUpdate(update, d.limits.Wire); err != nil {
		return err
	}
	return d.do("apply an update", func() error {
		complete := d.integrate(update)
		if len(d.held) > 0 {
			d.retryHeld()
			if !complete {
				complete = d.integrate(update)
			}
		}
		if !complete {
			d.hold(update)
		}
		if err := d.measure(len(update)); err != nil {
			return err
		}
		if d.y.ClientID != int(d.client) {
			return d.fail("apply an update", fmt.Errorf("another client writes as %d, which is this replica's id", d.client))
		}
		if !complete {
			return ErrPending
		}
		return nil
	})
}

// Held is the number of updates that are held back because of missing changes.
func (d *Doc) Held() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.held)
}

// integrate applies an update and reports whether the document had all that it builds on. What it cannot place is
// dropped.
func (d *Doc) integrate(update []byte) (complete bool) {
	complete = true
	crdt.Transact(d.y, func(trans *crdt.Transaction) {
		trans.Local = false
		dec := decoder{input: update, r: wire.NewReader("update", update), doc: d.y, work: work{maxWork}}
		if crdt.IntegrateStructs(trans, d.y.Store, dec.structs()) != nil {
			complete = false
		}
		if dec.deletes(trans) {
			complete = false
		}
	}, nil, false)
	return complete
}

// hold keeps an update for later, unless too much is kept already: then the oldest go. They come again with the peer's
// state, which is to be asked for anyway.
func (d *Doc) hold(update []byte) {
	if len(update) > d.limits.HeldBytes {
		return
	}
	d.held = append(d.held, append([]byte(nil), update...))
	d.heldSize += len(update)
	for d.heldSize > d.limits.HeldBytes || len(d.held) > d.limits.HeldUpdates {
		d.heldSize -= len(d.held[0])
		d.held = d.held[1:]
	}
}

// retryHeld applies what was held back, until nothing more fits.
func (d *Doc) retryHeld() {
	for progress := true; progress && len(d.held) > 0; {
		progress = false
		waiting := d.held
		d.held, d.heldSize = nil, 0
		for _, update := range waiting {
			if d.integrate(update) {
				progress = true
				continue
			}
			d.held = append(d.held, update)
			d.heldSize += len(update)
		}
	}
}

// transact runs f as one transaction of ours.
func (d *Doc) transact(f func(x *tx)) {
	crdt.Transact(d.y, func(trans *crdt.Transaction) { f(&tx{Transaction: trans, d: d}) }, nil, true)
}

func (d *Doc) afterTransaction(trans *crdt.Transaction) {
	d.turn++
	if !trans.Local {
		absorb(trans)
	} else if d.rough {
		forgetLists(trans)
	}
	d.model.changed(trans)
	d.publish(trans)
	deleteInside(trans)
	d.record(trans)
	compact(trans, collect(trans, d.history.released))
	d.history.released = nil
}

// emit hands out the update of a transaction of ours.
func (d *Doc) emit(trans *crdt.Transaction) {
	if !trans.Local {
		return
	}
	before := trans.BeforeState
	if len(trans.DeleteSet.Clients) == 0 && before[d.y.ClientID] == trans.AfterState[d.y.ClientID] {
		return
	}
	update := appendStructs(nil, d.y.Store, func(client int) int { return before[client] })
	crdt.SortAndMergeDeleteSet(trans.DeleteSet)
	update = appendDeletes(update, deletedBy(trans))
	d.grown += len(update)
	if d.onUpdate != nil {
		d.onUpdate(update)
	}
}

// errOversize is why a document that grew beyond its limits broke.
var errOversize = errors.New("the document is too large")

// growth is by how many bytes the state may grow with each byte of an update: a deletion of three cuts a struct in three.
const growth = 16

// measure looks whether the document, to which more bytes were applied, is within its limits. The state is only measured
// when it may be beyond.
func (d *Doc) measure(more int) error {
	d.grown += more
	if n := len(d.y.Store.Clients); n > d.limits.Clients {
		return d.fail("measure the document", fmt.Errorf("%w: %d clients wrote to it, at most %d are allowed", errOversize, n, d.limits.Clients))
	}
	if n := structsIn(d.y.Store); n > d.limits.Structs {
		return d.fail("measure the document", fmt.Errorf("%w: %d structs, at most %d are allowed", errOversize, n, d.limits.Structs))
	}
	if d.size+growth*d.grown <= d.limits.DocumentBytes {
		return nil
	}
	d.size, d.grown = d.bloat().Encoded, 0
	if d.size > d.limits.DocumentBytes {
		return d.fail("measure the document", fmt.Errorf("%w: %d bytes as encoded, at most %d are allowed", errOversize, d.size, d.limits.DocumentBytes))
	}
	return nil
}
