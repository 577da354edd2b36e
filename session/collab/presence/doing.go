package presence

import (
	"cmp"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Doing is the activity of a client.
type Doing struct {
	awareness.Status
	// Goes is set if it continues until it is ended explicitly.
	Goes bool
}

// Listens reports whether the client waits to be called by name, anywhere, rather than for the answer to a question.
func (d Doing) Listens() bool { return d.Goes && d.Text == Waiting && d.Cell == "" }

// Does sets the activity of a client at a place; the zero Doing removes it. Places are compared with ==.
func (f *Faces) Does(client string, place any, d Doing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.faces[client]
	if one == nil || one.does[place] == d {
		return
	}
	if d == (Doing{}) {
		delete(one.does, place)
	} else {
		one.does[place] = d
	}
	f.tell()
}

// Look returns a client's face and its activity: the latest continuing one, otherwise the latest. Unlike Of, it does not
// create a face: ok is false for a client that has left.
func (f *Faces) Look(client string) (is Face, d Doing, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.faces[client]
	if one == nil {
		return is, d, false
	}
	for _, other := range one.does {
		if later(other, d) {
			d = other
		}
	}
	return one.Face, d, true
}

// later reports whether a is shown in preference to b.
func later(a, b Doing) bool {
	if a.Goes != b.Goes {
		return a.Goes
	}
	return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Text, b.Text)) > 0
}

// Changed returns a channel that is closed when a client next changes its activity or its name, or leaves.
func (f *Faces) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return f.changed
}

// tell signals a change. f.mu is held.
func (f *Faces) tell() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}
