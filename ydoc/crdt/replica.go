package crdt

import (
	"crypto/rand"
	"encoding/binary"
	"maps"
	"sync"

	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Replica is one replica of a shared document: its root types and their content.
//
// Methods that take or return updates lock the replica themselves and are safe for concurrent use. All other methods,
// including those of [Type], must be called within a function given to [Replica.Do] or [Replica.Read].
type Replica struct {
	mu     sync.Mutex
	y      *ycrdt.Doc
	client uint64
	opt    Options
	err    error // why the document is broken, or nil

	onUpdate func(update []byte)
	held     [][]byte // updates held for missing changes
	holes    holes    // the servers whose first change is missing
	heldSize int

	turn      int           // counts transactions
	change    Change        // of the last transaction
	recording *Step         // of the current transaction
	released  []*ycrdt.Item // no longer kept, to be collected at the end of the transaction

	copies map[*Type]*copied // copied and deleted texts, see late.go
	late   late              // late changes to carry over to the copies
	told   int               // the clock up to which a peer has our changes

	tellings tellings // see tab.go

	survivors []*survivor // see survivor.go

	orphans []*orphan  // our own text that awaits its echo, see orphan.go
	unheard []*unseen  // see orphan.go
	awaited []*awaited // see await.go

	overtaken overtaken // see overtaken.go

	// Races are the steps not yet passed on by the server.
	Races Races

	deleting *deletions // of the update being applied

	size  int // of the encoded state when last measured
	grown int // bytes applied and written since then
}

// Options configures a replica. The zero value is valid.
type Options struct {
	// ClientID is the id under which this replica writes, at most 2^53−1; 0 means a random one of 32 bits. Replicas
	// that ever write to the same document must not share one.
	ClientID uint64
	// ClientZero makes a ClientID of 0 mean client 0, which jupyter_ydoc uses for documents built from a file.
	ClientZero bool
	// Relay makes OnUpdate's function also receive the new content of applied updates, as a server passes it on.
	Relay bool
	// Limits bounds the document; zero fields take their defaults.
	Limits Limits
	// Keys are the expected map keys.
	Keys Keys
	// Changed, if any, is called at the end of each transaction, with the document locked. It may read the document,
	// but not write to it, nor keep c.
	Changed func(c *Change)
	// Settled, if any, is called after each access to the document, of any kind, while it is still locked.
	Settled func()
	// Broken, if any, is called when the document breaks, with the document locked.
	Broken func()
}

// New makes an empty replica. It writes nothing.
func New(o Options) *Replica {
	if o.ClientID == 0 && !o.ClientZero {
		o.ClientID = randomID()
	}
	o.Limits = o.Limits.orDefaults()
	r := &Replica{client: o.ClientID, opt: o}
	r.Races.replica = r
	r.y = ycrdt.NewDoc("", false, nil, nil, false) // we collect ourselves, see collect.go
	r.y.ClientID = int(o.ClientID)
	r.y.On("afterTransaction", ycrdt.NewObserverHandler(func(v ...interface{}) {
		r.afterTransaction(v[0].(*ycrdt.Transaction))
	}))
	r.y.On("afterTransactionCleanup", ycrdt.NewObserverHandler(func(v ...interface{}) {
		r.emit(v[0].(*ycrdt.Transaction))
	}))
	return r
}

// randomID returns a client id of 32 bits other than 0, which is the server's.
func randomID() uint64 {
	var b [4]byte
	for {
		_, _ = rand.Read(b[:]) // never fails
		if id := binary.BigEndian.Uint32(b[:]); id != 0 {
			return uint64(id)
		}
	}
}

// Root declares a root type. All root types must be declared before anything is applied.
func (r *Replica) Root(name string, kind uint8) *Type { return newRoot(r.y, name, kind) }

// ClientID is the id under which this replica writes.
func (r *Replica) ClientID() uint64 { return r.client }

// StateVector encodes the content of this replica, for a peer to answer with the missing changes.
func (r *Replica) StateVector() (sv []byte, err error) {
	err = r.Do("state vector", func() error {
		have := make(map[uint64]uint64, len(r.y.Store.Clients))
		for client := range r.y.Store.Clients {
			have[uint64(client)] = uint64(ycrdt.GetState(r.y.Store, client))
		}
		sv = wire.EncodeStateVector(have)
		return nil
	})
	return sv, err
}

// Clock returns the clock up to which the replica has a client's changes; 0 if it has none or is broken.
func (r *Replica) Clock(client uint64) (clock uint64) {
	r.Read("clock", func() { clock = uint64(ycrdt.GetState(r.y.Store, int(client))) })
	return clock
}

// Diff encodes the changes that a peer with that state vector lacks; nil or an empty slice means a peer with nothing.
// It includes every deletion, as in Yjs, but no held updates.
func (r *Replica) Diff(stateVector []byte) (update []byte, err error) {
	have := map[uint64]uint64{}
	if len(stateVector) > 0 {
		if have, err = wire.ParseStateVector(stateVector, r.opt.Limits.Wire); err != nil {
			return nil, err
		}
	}
	err = r.Do("encode the state", func() error {
		r.received(int(have[r.client]))
		update = appendStructs(nil, r.y.Store, func(client int) int { return int(have[uint64(client)]) })
		update = appendDeletes(update, r.holes.without(deletedIn(r.y.Store)))
		return nil
	})
	return update, err
}

// OnUpdate registers f, which is called with the update of each of this replica's own transactions, in order; with
// [Options.Relay] of every transaction. f is called with the document locked: it must only store the update, which it
// may keep. There is one such function; nil removes it.
func (r *Replica) OnUpdate(f func(update []byte)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onUpdate = f
}

// Transact runs f as one local transaction.
func (r *Replica) Transact(f func(x *Tx)) {
	ycrdt.Transact(r.y, func(trans *ycrdt.Transaction) { f(&Tx{trans: trans, step: r.recording, r: r}) }, nil, true)
}

func (r *Replica) afterTransaction(trans *ycrdt.Transaction) {
	r.turn++
	if !trans.Local {
		absorb(trans)
	}
	r.change.begin(trans, r.turn)
	if r.opt.Changed != nil {
		r.opt.Changed(&r.change)
	}
	deleteInside(trans)
	if r.recording != nil {
		r.recording.record(trans)
	}
	if trans.Local {
		r.note(trans)
	} else {
		r.gather(trans)
		r.outlived()
		var come []unit
		r.awaited, come = arrive(trans, r.awaited)
		r.late.units = append(r.late.units, come...)
		r.Races.note(trans)
	}
	expired := r.review(trans)
	compact(trans, collect(trans, r.released, expired, r.isCopied))
	r.released = nil
	r.change.end()
}

// emit passes on the update of a local transaction, or of any if the replica relays them.
func (r *Replica) emit(trans *ycrdt.Transaction) {
	if !trans.Local && !r.opt.Relay {
		return
	}
	before := trans.BeforeState
	if len(trans.DeleteSet.Clients) == 0 && maps.Equal(before, trans.AfterState) {
		return
	}
	update := appendStructs(nil, r.y.Store, func(client int) int { return before[client] })
	ycrdt.SortAndMergeDeleteSet(trans.DeleteSet)
	update = appendDeletes(update, deletedBy(trans))
	if trans.Local {
		r.grown += len(update)
	}
	if r.onUpdate != nil {
		r.onUpdate(update)
	}
}
