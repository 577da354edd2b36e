package mentions

import "github.com/samber/lo"

// A Standing is a mention with its status.
type Standing struct {
	Listed
	// Deciding is set while another process may still get it.
	Deciding, Answered bool
}

// Ours reports whether a client of this process has it, or had it.
func (s Standing) Ours() bool { return s.Taken != "" && s.Taken != Elsewhere }

// All returns the ids of all mentions in the book, the oldest first.
func (b *Book) All() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return lo.Map(b.all, func(k *kept, _ int) string { return k.ID })
}

// Standing returns the status of a mention; false if it is not in the book.
func (b *Book) Standing(id string) (s Standing, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.find(id)
	if k == nil {
		return s, false
	}
	return Standing{Listed{k.Mention, k.taken}, k.deciding, k.answered}, true
}

// Keep confirms that the client that takes a mention has it, and no other process.
func (b *Book) Keep(id string) {
	b.change(id, func(k *kept) {
		if k.left {
			k.taken = ""
		}
		k.deciding, k.left = false, false
	})
}

// Lose notes that a client of another process has a mention, or has answered it. from is the client that had it here, "" for
// none; if another client has it by now, Lose does nothing.
func (b *Book) Lose(id, from string, answered bool) {
	b.change(id, func(k *kept) {
		if k.taken == from {
			k.taken, k.deciding, k.left, k.answered = Elsewhere, false, false, k.answered || answered
		}
	})
}
