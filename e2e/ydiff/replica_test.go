package ydiff

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/ydoc"
)

// local is a notebook of nbduet.
type local struct {
	n       *ydoc.Notebook
	updates [][]byte
	// The cell as last read for a three-way change.
	seen ydoc.Cell
	// The ids of all cells so far, and whether this replica has made them.
	made map[string]bool
	// The faults of cells, by their ids.
	faults map[string]string
	// Its steps, and the undone ones, the latest last.
	done, undone []named
}

// named is a step with its name.
type named struct {
	*ydoc.Step
	name string
}

// maxSteps is the number of steps that can be undone.
const maxSteps = 64

// push appends a step to a list and removes the first if there are too many.
func (l *local) push(list *[]named, s named) {
	if *list = append(*list, s); len(*list) > maxSteps {
		l.release((*list)[:1])
		*list = (*list)[1:]
	}
}

func (l *local) release(list []named) {
	for _, s := range list {
		if s.Step != nil { // nil: an undo without an effect
			l.n.Release(s.Step)
		}
	}
}

func newLocal(client uint64) *local {
	l := &local{n: ydoc.NewNotebookWith(ydoc.Options{ClientID: client}), made: map[string]bool{}, faults: map[string]string{}}
	l.n.OnUpdate(func(u []byte) { l.updates = append(l.updates, u) })
	return l
}

func (l *local) edit(ops []op) ([][]byte, error) {
	l.updates = nil
	if len(ops) == 1 && (ops[0].Op == "undo" || ops[0].Op == "redo") {
		err := l.back(ops[0].Op == "undo")
		return l.updates, err
	}
	l.note(false)
	step, err := l.n.Record(stepName(ops), func(e *ydoc.Editor) error {
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
	l.note(true)
	if step != nil {
		l.release(l.undone)
		l.undone = nil
		l.push(&l.done, named{step, stepName(ops)})
	}
	return l.updates, err
}

// note records new cells as made by this replica or not, and the malformed ones.
func (l *local) note(ours bool) {
	for _, c := range l.n.Cells() {
		if _, known := l.made[c.ID]; !known {
			l.made[c.ID] = ours
		}
		if c.Fault != "" {
			l.faults[c.ID] = c.Fault
		}
	}
}

// stepName distinguishes edits that leave each character in its place from others.
func stepName(ops []op) string {
	for _, o := range ops {
		if structural(o.Op) || o.Op == "rewrite" || o.Op == "carry" {
			return "rearrange"
		}
	}
	return "write"
}

// apply may also write: it carries over text that others wrote into a cell before they received its move.
func (l *local) apply(updates ...[]byte) (a applied, _ error) {
	l.updates = nil
	defer func() { a.Own = l.updates }()
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

// back undoes or redoes a step, and checks that this affects no edits of others: their cells and their text stay, and no
// further cell is malformed.
func (l *local) back(undo bool) error {
	l.note(false)
	before := l.n.Cells()
	from, to := &l.done, &l.undone
	if !undo {
		from, to = to, from
	}
	if len(*from) == 0 {
		return nil
	}
	step := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	var inverse *ydoc.Step
	if step.Step != nil {
		var err error
		if _, inverse, err = l.n.Revert(step.Step); err != nil {
			return err
		}
	}
	l.push(to, named{inverse, step.name})
	after := l.n.Cells()
	for _, c := range after {
		if c.Fault != "" && l.faults[c.ID] == "" {
			return fmt.Errorf("cell %s is malformed after it: %s", c.ID, c.Fault)
		}
	}
	l.note(true)
	if !undo {
		return nil
	}
	for _, c := range before {
		// A cell whose id was removed by another peer may be this replica's.
		if c.ID != "" && !l.made[c.ID] && !slices.ContainsFunc(after, func(a ydoc.Cell) bool { return a.ID == c.ID }) {
			return fmt.Errorf("undo has taken away cell %s, which somebody else has made", c.ID)
		}
	}
	if was, is := marks(before), marks(after); step.name == "write" && is < was {
		return fmt.Errorf("undo has taken away %d of %d characters that somebody else wrote", was-is, was)
	}
	return nil
}

func marks(cells []ydoc.Cell) (n int) {
	for _, c := range cells {
		n += strings.Count(c.Source, mark)
	}
	return n
}
