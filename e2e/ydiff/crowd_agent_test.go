package ydiff

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// agent is a replica of nbduet with two clients that write in it and undo as through the program.
type agent struct {
	n       *ydoc.Notebook
	steps   *undo.History
	updates [][]byte // made since the last take
	sent    int      // number of updates so far
	calls   uint64
	last    [2]uint64 // each client's last call
	seen    [2]ydoc.Cell
	ledger  *ledger
}

func newAgent(id uint64, state []byte, l *ledger) (*agent, error) {
	a := &agent{n: ydoc.NewNotebookWith(ydoc.Options{ClientID: id}), ledger: l}
	if err := a.n.ApplyState(state); err != nil {
		return nil, err
	}
	a.steps = new(undo.Keeper).Begin(watched{a.n, a}, undo.Opened)
	a.n.OnUpdate(func(u []byte) { a.updates = append(a.updates, u); a.sent++ })
	return a, nil
}

// Counters of undoing.
const (
	takenBack = "steps taken back"
	madeAgain = "steps made again"
	keptCells = "cells kept for what others wrote or did"
)

// History, Revise and Settle make it an [undo.Document].
func (a *agent) History() *undo.History { return a.steps }

func (a *agent) Revise(_ context.Context, _ string, edit func(*undo.History, func([]string) error) error) error {
	return edit(a.steps, func([]string) error { return nil })
}

// Settle does nothing: this test has no tabs.
func (a *agent) Settle(context.Context, *undo.History, *ydoc.Step) error { return nil }

var clients = []string{"one", "two"}

// watched is the replica's interface for undoing.
type watched struct {
	*ydoc.Notebook
	a *agent
}

func (w watched) Revert(steps ...*ydoc.Step) (u ydoc.Undone, inverse *ydoc.Step, err error) {
	err = w.a.watch(func() (err error) { u, inverse, err = w.Notebook.Revert(steps...); return err })
	return u, inverse, err
}

// watch makes a transaction and notes the cells that it removed. It must not add or remove a person's character.
func (a *agent) watch(do func() error) error {
	before, cells := standing(a.n), a.n.IDs()
	if err := do(); err != nil {
		return err
	}
	if after := standing(a.n); !maps.Equal(before, after) {
		return fmt.Errorf("it changed people's characters: before %s, after %s", counted(before), counted(after))
	}
	now := a.n.IDs()
	for _, id := range cells {
		if !slices.Contains(now, id) {
			a.ledger.vanished[id] = append(a.ledger.vanished[id], a.sent)
		}
	}
	return nil
}

// do lets a client make an edit, or undo or redo.
func (a *agent) do(ctx context.Context, d deed) error {
	switch d.Do {
	case "undo", "undo one", "redo":
		return a.back(ctx, d)
	}
	return a.watch(func() error { return a.edit(d) })
}

func counted(m map[rune]int) string {
	var b strings.Builder
	for _, r := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s", strings.Repeat(string(r), m[r]))
	}
	return b.String()
}

func (a *agent) edit(d deed) error {
	// One call may make several edits.
	if a.last[d.P] == 0 || d.N[2]%4 > 0 {
		a.calls++
		a.last[d.P] = a.calls
	}
	made, err := a.n.Record(d.Do, func(e *ydoc.Editor) error { return a.stage(e, d) })
	var conflict *ydoc.ConflictError
	if errors.As(err, &conflict) || errors.Is(err, ydoc.ErrRevisionGone) {
		a.ledger.counts["agent's edits refused: others changed the same words"]++
		return nil
	}
	if made != nil {
		a.ledger.counts["agent's edits"]++
	}
	a.steps.Add(origin.Author{Client: clients[d.P], Call: a.last[d.P], Tool: d.Do}, made)
	return err
}

// stage stages one edit. It does not delete a person's character.
func (a *agent) stage(e *ydoc.Editor, d deed) error {
	if d.Do == "insert" {
		_, err := e.Insert(d.N[0]%(e.Len()+1), ydoc.NewCell{ID: d.ID, Type: cellTypes[d.N[1]%3], Source: d.S})
		return err
	}
	if e.Len() == 0 {
		return nil
	}
	c, _ := e.CellAt(d.N[0] % e.Len())
	switch d.Do {
	case "write":
		return e.SetSource(c.ID, rewritten(c.Source, d))
	case "carry":
		// An earlier read is rewritten.
		was := a.seen[d.P]
		a.seen[d.P] = c
		if _, there := e.Index(was.ID); !there {
			return nil
		}
		return e.Merge(was.ID, was.Source, rewritten(was.Source, d))
	case "move":
		return e.Move(c.ID, d.N[1]%e.Len())
	case "retype":
		return e.SetType(c.ID, cellTypes[d.N[1]%3])
	case "delete":
		for i := range e.Len() {
			c, _ := e.CellAt((d.N[0] + i) % e.Len())
			if e.Len() > 1 && !strings.ContainsFunc(c.Source, func(r rune) bool { return typist(r) > 0 }) {
				return e.Delete(c.ID)
			}
		}
		return nil
	}
	return fmt.Errorf("no such deed: %s", d.Do)
}

// rewritten returns a source with new text in place of text that is not a person's. The change is in one place, between
// two characters of people: a word changed in two places is replaced with the text between them, see ydoc/textdiff.
func rewritten(source string, d deed) string {
	r := []rune(source)
	at := d.N[1] % (len(r) + 1)
	to := at
	for to < len(r) && to < at+d.N[2]%5 && typist(r[to]) == 0 {
		to++
	}
	return string(r[:at]) + d.S + string(r[to:])
}

// back undoes the last steps of a client, or one step, or redoes some.
func (a *agent) back(ctx context.Context, d deed) (err error) {
	mine := undo.Of(a, origin.Author{Client: clients[d.P]})
	var o undo.Outcome
	switch d.Do {
	case "undo":
		o, err = mine.Undo(ctx, 1+d.N[0]%3)
	case "redo":
		o, err = mine.Redo(ctx, 1+d.N[0]%2)
	default:
		list := slices.DeleteFunc(mine.List(ctx), func(s undo.Step) bool { return s.Undone })
		if len(list) == 0 {
			return nil
		}
		o, err = mine.UndoStep(ctx, list[d.N[0]%len(list)].ID)
	}
	if errors.Is(err, undo.ErrNothing) {
		return nil
	}
	what := takenBack
	if d.Do == "redo" {
		what = madeAgain
	}
	a.ledger.counts[what] += len(o.Steps)
	a.ledger.counts[keptCells] += len(o.Kept)
	return err
}

// take returns the updates to send.
func (a *agent) take() [][]byte {
	u := a.updates
	a.updates = nil
	return u
}
