package ydiff

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/ydoc"
)

// local is a notebook of ours.
type local struct {
	n       *ydoc.Notebook
	updates [][]byte
	// What the last reading for a three-way change saw.
	seen ydoc.Cell
	// The ids of all cells that there were, and whether this replica has made them.
	made map[string]bool
	// What was wrong with cells, by their ids.
	faults map[string]string
	// What it did, and what it took back, the last ones last.
	done, undone []named
}

// named is a step and what it is called.
type named struct {
	*ydoc.Step
	name string
}

// maxSteps is how many steps can be taken back.
const maxSteps = 64

// push puts a step behind others, and lets the first go where they are too many.
func (l *local) push(list *[]named, s named) {
	if *list = append(*list, s); len(*list) > maxSteps {
		l.release((*list)[:1])
		*list = (*list)[1:]
	}
}

func (l *local) release(list []named) {
	for _, s := range list {
		if s.Step != nil { // nil: what an undo did that had nothing to do
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

// note notes the cells that it has not seen yet as ours or not, and those that are malformed.
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

// stepName tells edits that leave each character where it is from those that may put it elsewhere.
func stepName(ops []op) string {
	for _, o := range ops {
		if structural(o.Op) || o.Op == "rewrite" || o.Op == "carry" {
			return "rearrange"
		}
	}
	return "write"
}

// apply may write, too: it carries over what others wrote into a cell before they knew that it was moved.
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

// back undoes or redoes a step, and looks that this takes back nothing that others have done: their cells and what they
// wrote stay, and no cell is malformed that was not.
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
		// A cell whose id somebody has removed may be one of ours.
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
