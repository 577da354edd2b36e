package mentions

import "github.com/samber/lo"

// A Standing is a mention with what has become of it.
type Standing struct {
	Listed
	// Deciding says that it is not certain yet that the client has it.
	Deciding, Answered bool
}

// Ours reports whether a client of this process has it, or had.
func (s Standing) Ours() bool { return s.Taken != "" && s.Taken != Elsewhere }

// All are the ids of all mentions that are kept, the oldest first.
func (b *Book) All() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return lo.Map(b.all, func(k *kept, _ int) string { return k.ID })
}

// Standing is what has become of a mention; false if it is not kept.
func (b *Book) Standing(id string) (s Standing, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.find(id)
	if k == nil {
		return s, false
	}
	return Standing{Listed{k.Mention, k.taken}, k.deciding, k.answered}, true
}

// Keep says that the client that takes a mention has it: no other process does.
func (b *Book) Keep(id string) {
	b.change(id, func(k *kept) {
		if k.left {
			k.taken = ""
		}
		k.deciding, k.left = false, false
	})
}

// Lose says that a client of another process has a mention, or has answered it. from is who had it here as far as the caller
// knows, "" for nobody: where that is another one by now, nothing is noted.
func (b *Book) Lose(id, from string, answered bool) {
	b.change(id, func(k *kept) {
		if k.taken == from {
			k.taken, k.deciding, k.left, k.answered = Elsewhere, false, false, k.answered || answered
		}
	})
}
