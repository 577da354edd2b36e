package presence

import (
	"cmp"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Doing is what a client does.
type Doing struct {
	awareness.Status
	// Goes says that it goes on until it is said to end.
	Goes bool
}

// Listens reports whether it is waiting to be called by name, anywhere, and not for the answer to a question.
func (d Doing) Listens() bool { return d.Goes && d.Text == Waiting && d.Cell == "" }

// Does takes what a client does somewhere: the zero Doing says that it does nothing there any more. Places are told apart by
// being equal.
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

// Look is a client's face, and what the client does: of several things the last that goes on, else the last. It makes no
// face, as Of does: not ok is a client that has left.
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

// later reports whether a is to be shown, and not b.
func later(a, b Doing) bool {
	if a.Goes != b.Goes {
		return a.Goes
	}
	return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Text, b.Text)) > 0
}

// Changed is closed when a client does something else next, is called something else, or leaves.
func (f *Faces) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return f.changed
}

// tell says that something has changed. f.mu is held.
func (f *Faces) tell() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}
