package ydoc

import (
	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Doc is one replica of a shared document. It is safe for concurrent use.
//
// [NewNotebook] and [NewText] make a Doc, each with its own view of it.
type Doc struct {
	replica *crdt.Replica
	limits  Limits
	model   model
	state   *crdt.Type // the server's and the tabs' entries about the document
	subs    map[*Subscription]struct{}
	marked  map[*crdt.Type]struct{} // cells changed by the transaction, while a step is recorded
	reloads reloads
}

// model is the view of a document, a notebook or a text. Its methods are called with the document locked.
type model interface {
	// changed is called at the end of each transaction.
	changed(c *crdt.Change)
	// changesSince returns the changes since a revision.
	changesSince(r Revision) Changes
	// revert undoes a step, or redoes an undone one, and notes in u what it left because of others' changes.
	revert(v *crdt.Revert, s *Step, u *Undone)
}

// The names of the root types (jupyter_ydoc).
const (
	rootCells  = "cells"
	rootMeta   = "meta"
	rootState  = "state"
	rootSource = "source"
)

// usualKeys are the common keys of cells and outputs.
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

// ClientID is the id under which this replica writes. Its awareness should be published under the same id.
func (d *Doc) ClientID() uint64 { return d.replica.ClientID() }

// Err says why the document is broken, as an error that matches [ErrBroken], or nil.
func (d *Doc) Err() error { return d.replica.Err() }

// StateVector encodes the content of this replica, for a peer to answer with the missing changes.
func (d *Doc) StateVector() ([]byte, error) { return d.replica.StateVector() }

// Clock is the number of edits by a client that this replica has. Every edit except a deletion increases it. It is 0
// without edits or in a broken replica.
func (d *Doc) Clock(client uint64) uint64 { return d.replica.Clock(client) }

// Diff encodes the changes that a peer with that state vector lacks; nil or an empty slice means a peer with nothing.
// It includes every deletion, as in Yjs, but no held updates.
func (d *Doc) Diff(stateVector []byte) ([]byte, error) { return d.replica.Diff(stateVector) }

// OnUpdate registers f, which is called with the update of each of this replica's own transactions, in order. f is
// called with the document locked: it must only store the update, which it may keep. There is one such function; nil
// removes it.
func (d *Doc) OnUpdate(f func(update []byte)) { d.replica.OnUpdate(f) }

// Apply applies an update from a peer, as the server passes it on. It is checked completely first: after a
// *wire.FormatError nothing has been applied. [ErrPending] means that all or part of it depends on changes missing
// here: that part is held and retried after each later update; ask the peer for its state. [ErrBroken] means that the
// document must be discarded. Applying an update twice has no effect; update is not kept.
func (d *Doc) Apply(update []byte) error { return d.replica.Apply(update) }

// ApplyDiff is Apply for a peer's answer to this replica's state vector.
func (d *Doc) ApplyDiff(update []byte) error { return d.replica.ApplyVia(update, crdt.ViaDiff) }

// ApplyState is Apply for the full state of a peer. A state that lacks only the server's first change, on which
// nothing depends, counts as complete: servers do not store that change and rebuild the document without it.
func (d *Doc) ApplyState(update []byte) error { return d.replica.ApplyState(update) }

// Held is the number of updates held because of missing changes.
func (d *Doc) Held() int { return d.replica.Held() }

// Bloat measures how much of a replica is content and how much is left over from editing.
type Bloat = crdt.Bloat

// Bloat measures the replica. It looks at each struct once: about a millisecond for 50,000.
func (d *Doc) Bloat() Bloat { return d.replica.Bloat() }

// do runs f with the document locked and guarded: a panic, ours or the library's, breaks the document.
func (d *Doc) do(op string, f func() error) error { return d.replica.Do(op, f) }

// read is do for methods that have no error: on a broken document f is not run.
func (d *Doc) read(op string, f func()) { d.replica.Read(op, f) }
