package ydiff

import (
	"encoding/base64"

	"github.com/nbduet/nbduet/e2e/child"
)

// peer is one replica.
type peer interface {
	// edit does operations in one transaction and returns their updates.
	edit(ops []op) ([][]byte, error)
	// apply applies updates.
	apply(updates ...[]byte) (applied, error)
	stateVector() ([]byte, error)
	diff(stateVector []byte) ([]byte, error)
	close() error
}

// applied is the result of applying updates.
type applied struct {
	All   [][]byte `json:"all"` // the updates that a server passes on
	Own   [][]byte `json:"own"` // those that the replica made itself
	waits bool     // whether an update waits for another
}

// remote is a document in another process.
type remote struct {
	p    *child.Process
	name string
}

func newRemote(p *child.Process, k kind, name string, client uint64) (*remote, error) {
	_, err := p.Call(child.Command{"new", name, client, k.model()})
	return &remote{p, name}, err
}

func (r *remote) edit(ops []op) (updates [][]byte, err error) {
	err = r.p.One(&updates, "edit", r.name, ops)
	return updates, err
}

func (r *remote) apply(updates ...[]byte) (a applied, err error) {
	c := []any{"apply", r.name}
	for _, u := range updates {
		c = append(c, base64.StdEncoding.EncodeToString(u))
	}
	err = r.p.One(&a, c...)
	return a, err
}

func (r *remote) stateVector() (sv []byte, err error) {
	err = r.p.One(&sv, "sv", r.name)
	return sv, err
}

func (r *remote) diff(sv []byte) (update []byte, err error) {
	err = r.p.One(&update, "diff", r.name, sv)
	return update, err
}

func (r *remote) close() error {
	_, err := r.p.Call(child.Command{"drop", r.name})
	return err
}

func newPeer(f *foreign, k kind, name string, client uint64) (peer, error) {
	switch {
	case k == goKind:
		return newLocal(client), nil
	case k.inPython():
		return newRemote(f.python, k, name, client)
	default:
		return newRemote(f.node, k, name, client)
	}
}
