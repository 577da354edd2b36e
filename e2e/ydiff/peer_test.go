package ydiff

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/ydoc"
)

// peer is one replica.
type peer interface {
	// edit does operations in one transaction and returns the updates that it makes.
	edit(ops []op) ([][]byte, error)
	// apply takes updates in.
	apply(updates ...[]byte) (applied, error)
	stateVector() ([]byte, error)
	diff(stateVector []byte) ([]byte, error)
	close() error
}

// applied is what follows from applying updates.
type applied struct {
	All   [][]byte `json:"all"` // the updates that a server passes on
	Own   [][]byte `json:"own"` // those among them that the replica made itself
	waits bool     // whether something waits for more
}

// remote is a document in another process.
type remote struct {
	p    *child.Process
	name string
}

func newRemote(p *child.Process, name string, client uint64) (*remote, error) {
	_, err := p.Call(child.Command{"new", name, client})
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

// local is a notebook of ours.
type local struct {
	n       *ydoc.Notebook
	updates [][]byte
	// What the last reading for a three-way change saw.
	seen ydoc.Cell
}

func newLocal(client uint64) *local {
	l := &local{n: ydoc.NewNotebookWith(ydoc.Options{ClientID: client})}
	l.n.OnUpdate(func(u []byte) { l.updates = append(l.updates, u) })
	return l
}

func (l *local) edit(ops []op) ([][]byte, error) {
	l.updates = nil
	err := l.n.Edit("step", func(e *ydoc.Editor) error {
		for _, o := range ops {
			if err := l.do(e, o); err != nil {
				return fmt.Errorf("%s: %w", o.Op, err)
			}
		}
		return nil
	})
	var conflict *ydoc.ConflictError
	if errors.Is(err, ydoc.ErrInvalid) || errors.Is(err, ydoc.ErrRevisionGone) || errors.As(err, &conflict) {
		if len(l.updates) > 0 {
			return nil, fmt.Errorf("an edit that failed (%w) has written", err)
		}
		return nil, nil
	}
	return l.updates, err
}

func (l *local) apply(updates ...[]byte) (a applied, _ error) {
	for _, u := range updates {
		err := l.n.Apply(u)
		if errors.Is(err, ydoc.ErrPending) {
			a.waits = true
		} else if err != nil {
			return a, err
		}
	}
	return a, nil
}

func (l *local) stateVector() ([]byte, error)   { return l.n.StateVector() }
func (l *local) diff(sv []byte) ([]byte, error) { return l.n.Diff(sv) }
func (l *local) close() error                   { return l.n.Err() }
func newPeer(f *foreign, k kind, name string, client uint64) (peer, error) {
	switch k {
	case yjsKind:
		return newRemote(f.node, name, client)
	case pycrdtKind:
		return newRemote(f.python, name, client)
	default:
		return newLocal(client), nil
	}
}
