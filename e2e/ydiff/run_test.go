package ydiff

import (
	"errors"
	"fmt"
)

// world is a network of replicas.
type world interface {
	step(s step) error
	settle() error
}

// run runs a program and returns an error if its replicas differ at the end, or if a step failed.
func run(f *foreign, p program) (err error) {
	peers := make([]peer, len(p.Kinds))
	names := make([]string, len(p.Kinds))
	defer func() {
		for _, pr := range peers {
			if pr != nil {
				err = errors.Join(err, pr.close())
			}
		}
	}()
	for i, k := range p.Kinds {
		names[i] = fmt.Sprintf("d%d", i)
		if peers[i], err = newPeer(f, k, names[i], p.IDs[i]); err != nil {
			return err
		}
	}
	var w world = newStar(p, peers)
	if p.Mesh {
		w = newMesh(p, peers)
	}
	for i, s := range p.Steps {
		if err := w.step(s); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	if err := w.settle(); err != nil {
		return fmt.Errorf("in the end: %w", err)
	}
	return agree(f, p, peers, names)
}
