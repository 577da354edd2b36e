package undo

import (
	"container/list"
	"fmt"
	"sync"
)

// Bounds of what is kept. The newest step is kept however large it is.
const (
	// maxSteps is how many steps of one client can be taken back in one document, and how many made again.
	maxSteps = 256
	// maxDocument is how much of what one document's steps deleted is kept.
	maxDocument = 16 << 20
	// maxAll is about how much memory the steps of all documents take, together with what is kept beside them, and least
	// how much they may take in any case.
	maxAll = 28_000_000
	least  = 2_000_000
)

// Keeper bounds what the histories of all documents keep: the steps that were made longest ago go first. The zero value
// is ready for use.
type Keeper struct {
	// Beside is how much memory else is taken for what was done to open documents; nil for none. Set it before any use.
	Beside func() int

	// mu guards the histories, too. It is never held while a replica is asked for anything.
	mu    sync.Mutex
	steps list.List // of *step, of all histories, in the order in which they were made, or taken back
	bytes int       // what they take
	named int       // how many steps there have been
}

// name makes the id of a step. No two of a program are the same, so that one of a history that is gone is not taken for
// another's.
func (k *Keeper) name() string {
	k.named++
	return fmt.Sprintf("s%d", k.named)
}

// add counts a step.
func (k *Keeper) add(s *step) {
	s.size = s.weigh()
	s.at = k.steps.PushBack(s)
	k.bytes += s.size
	s.in.bytes += s.deleted()
	s.counted = s.deleted()
}

// drop lets go of a step, which the caller takes off its list.
func (k *Keeper) drop(s *step) {
	k.steps.Remove(s.at)
	k.bytes -= s.size
	s.in.bytes -= s.counted
}

// trim drops what is too much besides a step that was just added, and returns it for [release].
func (k *Keeper) trim(newest *step) (gone []*step) {
	c := newest.of
	for _, l := range []*[]*step{&c.done, &c.undone} {
		for len(*l) > maxSteps {
			gone = append(gone, (*l)[0])
			k.forget((*l)[0])
		}
	}
	for at := k.steps.Front(); at != nil && newest.in.bytes > maxDocument; {
		s := at.Value.(*step)
		at = at.Next()
		if s.in == newest.in && s != newest && s.counted > 0 {
			gone = append(gone, s)
			k.forget(s)
		}
	}
	return append(gone, k.fit(newest)...)
}

// fit drops the oldest steps of all documents until the rest fits, besides the newest, and returns them for [release].
func (k *Keeper) fit(newest *step) (gone []*step) {
	most := maxAll
	if k.Beside != nil {
		most = max(least, maxAll-k.Beside())
	}
	for at := k.steps.Front(); at != nil && k.bytes > most; {
		s := at.Value.(*step)
		at = at.Next()
		if s != newest {
			gone = append(gone, s)
			k.forget(s)
		}
	}
	return gone
}

// forget drops a step and takes it off its client's list.
func (k *Keeper) forget(s *step) {
	k.drop(s)
	s.of.remove(s)
}

// release has the replicas let go of what they keep for steps. The caller does not hold the keeper's lock.
func release(gone []*step) {
	for _, s := range gone {
		s.in.doc.Release(s.made...)
	}
}
