package undo

import (
	"container/list"
	"strconv"
	"sync"
)

// Bounds of the steps. The newest step is kept however large it is.
const (
	// maxSteps is how many steps of one client can be undone in one document, and how many redone.
	maxSteps = 256
	// maxDocument is how many bytes of deleted content the steps of one document keep.
	maxDocument = 16 << 20
	// maxAll is roughly how many bytes the steps of all documents may take, together with [Keeper.Beside]; least is how many
	// they may take in any case.
	maxAll = 28_000_000
	least  = 2_000_000
)

// Keeper bounds the memory of the histories of all documents: the oldest steps are dropped first. The zero value is ready
// for use.
type Keeper struct {
	// Beside returns the memory used otherwise for the changes of open documents; nil for none. Set it before any use.
	Beside func() int
	// Journal keeps the steps of notebooks longer than their histories; nil for none. Set it before any use.
	Journal Journal

	// mu guards the histories, too. It is never held while a replica is called.
	mu    sync.Mutex
	steps list.List // of *step, of all histories, in the order in which they were made or undone
	bytes int       // their memory
	named int       // how many steps there have been
}

// name returns a new step id. Ids are unique in the program and, with a journal, among those of all programs that use it, so
// that an id from an ended history does not match another step.
func (k *Keeper) name() string {
	k.named++
	prefix := "s"
	if k.Journal != nil {
		prefix = k.Journal.Prefix()
	}
	return prefix + strconv.Itoa(k.named)
}

// add counts a step.
func (k *Keeper) add(s *step) {
	s.size = s.weigh()
	s.at = k.steps.PushBack(s)
	k.bytes += s.size
	s.in.bytes += s.deleted()
	s.counted = s.deleted()
}

// drop stops counting a step. The caller removes it from its list.
func (k *Keeper) drop(s *step) {
	k.steps.Remove(s.at)
	k.bytes -= s.size
	s.in.bytes -= s.counted
}

// trim drops the steps that exceed the bounds, except a newly added step, and returns them for [release].
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

// fit drops the oldest steps of all documents, except the newest, until the rest fits, and returns them for [release].
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

// forget drops a step and removes it from its client's list.
func (k *Keeper) forget(s *step) {
	k.drop(s)
	s.of.remove(s)
}

// release releases the data that replicas keep for steps. The caller must not hold the keeper's lock.
func release(gone []*step) {
	for _, s := range gone {
		s.in.doc.Release(s.made...)
	}
}
