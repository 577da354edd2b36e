package ydoc

import "github.com/nbduet/nbduet/ydoc/crdt"

// Doc is one replica of a shared document. Each method may be called from any goroutine.
//
// A Doc is made by [NewNotebook] or [NewText], which say what it is read as.
type Doc struct {
	replica *crdt.Replica
	limits  Limits
	model   model
	state   *crdt.Type // what the server and the tabs say of the document
	subs    map[*Subscription]struct{}
	marked  map[*crdt.Type]struct{} // the cells that a transaction changed, while a step is recorded
	reloads reloads
}

// model is what a document is read as. Its methods are called with the document locked.
type model interface {
	// changed is called at the end of each transaction.
	changed(c *crdt.Change)
	// changesSince says what became different since a revision.
	changesSince(r Revision) Changes
	// revert takes back a step, or makes again what was taken back, and says what was left because of what others did.
	revert(v *crdt.Revert, s *Step, u *Undone)
}

// The names of the root types (jupyter_ydoc).
const (
	rootCells  = "cells"
	rootMeta   = "meta"
	rootState  = "state"
	rootSource = "source"
)

// usualKeys are the keys of cells and outputs.
var usualKeys = crdt.InternKeys(
	keyID, keyType, keySource, keyMetadata, keyOutputs, keyCount, keyState, keyAttachments,
	"output_type", "name", "text", "data", "ename", "evalue", "traceback", "trusted",
)

func newDoc(o Options, m model) *Doc {
	d := &Doc{limits: o.Limits.orDefaults(), model: m, subs: map[*Subscription]struct{}{}}
	d.replica = crdt.New(crdt.Options{
		ClientID: o.ClientID,
		Limits:   d.limits.Replica,
		Keys:     usualKeys,
		Changed: func(c *crdt.Change) {
			m.changed(c)
			d.noteReload(c)
			d.publish(c)
		},
		Settled: d.settled,
		Broken:  d.wakeAll,
	})
	d.state = d.replica.Root(rootState, crdt.KindMap)
	return d
}

// ClientID is the id under which this replica writes, and under which its awareness should be published.
func (d *Doc) ClientID() uint64 { return d.replica.ClientID() }

// Err says why the document is broken, as an error that matches [ErrBroken], or nil.
func (d *Doc) Err() error { return d.replica.Err() }

// StateVector encodes what this replica has, for a peer to answer with what it lacks.
func (d *Doc) StateVector() ([]byte, error) { return d.replica.StateVector() }

// Clock is how much this replica has of a client's edits, a number that grows with all of them but deletions; 0 for
// nothing, or in a broken replica.
func (d *Doc) Clock(client uint64) uint64 { return d.replica.Clock(client) }

// Diff encodes what a peer with that state vector lacks. Nil or an empty slice stands for a peer that has nothing.
// Every deletion is part of it, as in Yjs. Updates that are held back are not.
func (d *Doc) Diff(stateVector []byte) ([]byte, error) { return d.replica.Diff(stateVector) }

// OnUpdate has f called with the update of each transaction of this replica's own, in order. It is called with the
// document locked: it must only put the update aside, and may keep it. There is one such function; nil removes it.
func (d *Doc) OnUpdate(f func(update []byte)) { d.replica.OnUpdate(f) }

// Apply takes in an update from a peer, as the server passes it on. It is checked completely first; a *wire.FormatError means that nothing of it
// was used. [ErrPending] means that it, or a part, builds on changes that are missing here: that part is held back and
// tried again after each later update, and the peer should be asked for its state. [ErrBroken] means that the document
// is to be thrown away. Applying an update twice has no effect; update is not kept.
func (d *Doc) Apply(update []byte) error { return d.replica.Apply(update) }

// ApplyDiff is Apply for what a peer has and this replica lacks.
func (d *Doc) ApplyDiff(update []byte) error { return d.replica.ApplyVia(update, crdt.ViaDiff) }

// ApplyState is Apply for all that a peer has. Where that lacks the first change that a server has made, on which nothing
// builds, it is complete: servers do not write that down, and build the document anew without it.
func (d *Doc) ApplyState(update []byte) error { return d.replica.ApplyState(update) }

// Held is the number of updates that are held back because of missing changes.
func (d *Doc) Held() int { return d.replica.Held() }

// Bloat says how much of a replica is content and how much is left over from editing.
type Bloat = crdt.Bloat

// Bloat measures the replica. It looks at each struct once: about a millisecond for 50,000.
func (d *Doc) Bloat() Bloat { return d.replica.Bloat() }

// do runs f with the document locked and guarded: a panic, ours or the library's, breaks the document.
func (d *Doc) do(op string, f func() error) error { return d.replica.Do(op, f) }

// read is do for methods that have no error: on a broken document f is not run.
func (d *Doc) read(op string, f func()) { d.replica.Read(op, f) }
