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
func (f *Clients) Does(client string, place any, d Doing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.byID[client]
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

// Look returns a client's appearance and its activity: the latest continuing one, otherwise the latest. Unlike Of, it does not
// create an appearance: ok is false for a client that has left.
func (f *Clients) Look(client string) (is Appearance, d Doing, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.byID[client]
	if one == nil {
		return is, d, false
	}
	for _, other := range one.does {
		if later(other, d) {
			d = other
		}
	}
	return one.Appearance, d, true
}

// later reports whether a is shown in preference to b.
func later(a, b Doing) bool {
	if a.Goes != b.Goes {
		return a.Goes
	}
	return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Text, b.Text)) > 0
}

// Changed returns a channel that is closed when a client next changes its activity or its name, or leaves.
func (f *Clients) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return f.changed
}

// tell signals a change. f.mu is held.
func (f *Clients) tell() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}
