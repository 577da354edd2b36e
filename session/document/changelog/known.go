package changelog

import (
	"cmp"
	"slices"

	"github.com/nbduet/nbduet/ydoc"
)

// A mark is a revision that was answered to a client, and the number of entries until then.
type mark struct {
	rev ydoc.Revision
	seq int
}

// maxMarks bounds the revisions that are remembered besides those at which an entry ends.
const maxMarks = 512

// Seal returns the notebook's revision for an answer to a client: the changes from now on will be known exactly.
func (l *Log) Seal() ydoc.Revision {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mark()
	return l.rev
}

func (l *Log) mark() {
	l.sealed = l.next()
	if l.blurred {
		return
	}
	if _, known := l.find(l.rev); known {
		return
	}
	l.marks = append(l.marks, mark{l.rev, l.next()})
	if len(l.marks) > maxMarks {
		l.marks = slices.Delete(l.marks, 0, maxMarks/4)
	}
}

// find returns the number of entries until a revision, if that is known.
func (l *Log) find(r ydoc.Revision) (seq int, ok bool) {
	if i, found := slices.BinarySearchFunc(l.marks, r, func(m mark, r ydoc.Revision) int { return cmp.Compare(m.rev, r) }); found {
		return l.marks[i].seq, l.marks[i].seq >= l.base
	}
	// The revision must be one at which an entry ends, and no entry may span it. Entries are in the order of their beginnings.
	for i, e := range l.entries {
		switch {
		case e.from >= r:
			return seq, ok
		case e.to > r:
			return 0, false
		}
		seq, ok = l.base+i+1, ok || e.to == r
	}
	return seq, ok
}
