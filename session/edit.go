package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/waitbudget"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Edit makes one edit, as a single transaction, and returns when the room has it. If fn, or an edit that it staged, fails,
// nothing is written. A *LostError or an *UnconfirmedError describes an edit that the room did not confirm. An edit from a
// client's call is refused where people are typing or have said hands off, see package editguard; if the call waits for
// them, fn may be called several times, once for each attempt.
func (d *Document) Edit(ctx context.Context, name string, fn func(*ydoc.Editor) error) error {
	return d.edit(ctx, name, func(lv *live) (*ydoc.Step, error) {
		if lv.nb == nil {
			return nil, fmt.Errorf("%s: %w: it is a text document", name, ErrNotNotebook)
		}
		if !undo.Records(origin.Of(ctx)) {
			return nil, lv.nb.Edit(name, fn)
		}
		guard := guardOf(ctx, d, lv, name)
		made, err := lv.nb.Record(name, guard.Around(fn))
		return made, guard.Placed(err)
	})
}

// MayTouch returns the error that [Document.Edit] would return for an edit of these cells. It is for calls that do something
// irreversible before the edit.
func MayTouch(ctx context.Context, d *Document, edit string, cells []string) error {
	return editguard.Retry(ctx, func() error { return guardOf(ctx, d, d.current(), edit).Check(cells) })
}

// guardOf returns the guard of an edit.
func guardOf(ctx context.Context, d *Document, lv *live, name string) *editguard.Guard {
	unsure := Kept{d}.examine(ctx, lv)
	return editguard.Of(ctx, name, lv.nb, lv.history, func() people.Company { return companyIn(d, lv) }).Unsure(unsure)
}

// Unconfirmed reports whether the source of a cell has edits of this program that the server has not confirmed.
func (d *Document) Unconfirmed(cell string) bool { return d.current().unconfirmed.has(cell) }

// writing writes an edit into a replica, and returns the step, which may be nil.
type writing func(*live) (*ydoc.Step, error)

// edit makes an edit of either kind and waits until the room has it. It repeats the edit while people are typing, if the
// call waits.
func (d *Document) edit(ctx context.Context, name string, write writing) error {
	e := edit{doc: d, name: name, author: origin.Of(ctx), write: write, read: d.current()}
	return editguard.Retry(ctx, func() error { return e.attempt(ctx, waitbudget.Of(ctx)) })
}

// An edit is an attempt to make one edit of a document. Its steps are, in this order: wait for the room, write into the
// replica, wait for the room's confirmation, and decide the result.
type edit struct {
	doc    *Document
	name   string
	author origin.Author
	write  writing
	read   *live // that the caller has read

	lv            *live      // the room in which it is made
	step          *ydoc.Step // nil if it cannot be undone
	added         undo.Recorded
	cells         []string // whose sources it has written
	before, after uint64   // the clock of our edits around it
}

// attempt takes all steps within the call's wait budget, if any. It then waits for the room before it writes anything and,
// if the room is lost before it confirms the edit, for the next room, to find out whether the edit was made.
func (e edit) attempt(ctx context.Context, p *waitbudget.Budget) error {
	if p == nil {
		e.lv = e.doc.current()
		return e.make(ctx)
	}
	if err := e.await(ctx, p); err != nil {
		return &NotMadeError{e.name, err}
	}
	made := error(&NotMadeError{e.name, nil}) // until it is written
	err := p.Wait(ctx, func(ctx context.Context) error {
		made = e.make(ctx)
		var lost *LostError
		if errors.As(made, &lost) {
			made = e.afterLoss(ctx, lost)
		}
		return made
	})
	var notMade *NotMadeError
	if errors.As(made, &notMade) && notMade.Err == nil {
		notMade.Err = err
	}
	var unconfirmed *UnconfirmedError
	var away *waitbudget.AwayError
	if errors.As(made, &unconfirmed) && errors.As(err, &away) {
		unconfirmed.Err = away
	}
	return made
}

// await waits until the room has the document.
func (e *edit) await(ctx context.Context, p *waitbudget.Budget) (err error) {
	e.lv, err = e.doc.wait(ctx, p)
	if err == nil && e.lv != e.read {
		// The caller has read a replica that no longer exists.
		err = fmt.Errorf("the %s's room was lost and was just rejoined: read it again, then repeat the edit", e.doc.kind)
	}
	return err
}

// make takes the steps in a replica.
func (e *edit) make(ctx context.Context) error {
	if e.lv.gap != nil {
		return &NotMadeError{e.name, e.lv.gap}
	}
	if err := e.lv.room.Err(); err != nil {
		return fmt.Errorf("%s: the %s's room was lost and is being rejoined, try again in a moment: %w", e.name, e.doc.kind, err)
	}
	if err := e.stage(); err != nil {
		return err
	}
	wrote(ctx, e.doc, e.cells)
	e.doc.saver.Edited(e.lv.saved(), e.cells)
	return e.verdict(ctx, e.lv.room.Barrier(ctx))
}

// stage writes the edit into the replica, as its author's and as unconfirmed.
func (e *edit) stage() error {
	e.doc.seats.Writes(e.author.Client)
	e.before = e.clock()
	return e.lv.by(e.author, e.put)
}

// put writes the edit while no other edit of this program is written, so that e.cells are the cells of this one.
func (e *edit) put() (err error) {
	e.cells, err = e.lv.unconfirmed.written(e.lv.nb, func() (err error) {
		e.step, err = e.write(e.lv)
		return err
	})
	e.after = e.clock()
	return err
}

// clock returns the number of our changes in the replica.
func (e *edit) clock() uint64 { return e.lv.doc.Clock(e.lv.doc.ClientID()) }

// verdict returns the result of an edit that the room has confirmed (err is nil) or not. A confirmed edit is reverted if
// others changed the same words at the same time.
func (e *edit) verdict(ctx context.Context, err error) error {
	if err == nil {
		if conflict := settle(ctx, e.lv, e.step); conflict != nil {
			e.confirm()
			e.doc.saver.Want()
			return conflict
		}
	}
	e.added = e.lv.steps.Add(e.author, e.step)
	if errors.As(err, new(*rtc.CloseError)) {
		return &LostError{Name: e.name, Err: err}
	}
	e.note()
	if err != nil {
		e.confirm()
		return &UnconfirmedError{Name: e.name, Err: err}
	}
	e.lv.unconfirmed.add(e.cells, -1)
	e.doc.saver.Want()
	return nil
}

// note adds the edit to the journal.
func (e *edit) note() { e.lv.steps.Note(e.author, e.added) }

// confirm waits for the room to confirm cells that it did not confirm in time. If the room ends, its replica is no longer
// used.
func (e *edit) confirm() {
	if len(e.cells) == 0 {
		return
	}
	d, lv, cells := e.doc, e.lv, e.cells
	d.m.Go(func(context.Context) {
		if lv.room.Barrier(d.ctx) == nil {
			lv.unconfirmed.add(cells, -1)
		}
	})
}

// afterLoss finds out whether an edit was made whose room was lost before it confirmed the edit, by waiting for the next
// room.
func (e *edit) afterLoss(ctx context.Context, lost *LostError) error {
	lost.Unsure = true
	next, err := e.doc.inStep(ctx)
	if err != nil || next == e.lv {
		return lost
	}
	has := next.doc.Clock(e.lv.doc.ClientID())
	switch {
	case filesync.Same(e.lv.saved(), next.saved()), e.after > e.before && has >= e.after:
		e.note()
		e.doc.saver.Want()
		return nil
	case has > 0 && e.after > e.before:
		lost.Unsure = false // the room has our earlier edits, but not this one
	}
	return lost
}

// backWait is how long an edit that raced with another edit of the same text waits until the server passes it on.
const backWait = 2 * time.Second

// settle finds out whether others changed the same words while an edit that the room has confirmed was on its way. Of two
// agents' edits, the first at the server stays. A person's edit always stays, because tabs do not revert edits. An edit that
// does not stay is reverted, and the error is a [*ydoc.ConflictError].
func settle(ctx context.Context, lv *live, made *ydoc.Step) error {
	if made == nil || !lv.doc.Raced(made) {
		return nil
	}
	select {
	case <-lv.doc.Back(made):
	case <-time.After(backWait):
	case <-ctx.Done():
	}
	tab := func(client uint64) bool {
		_, agent, known := lv.room.Named(client)
		return known && !agent
	}
	var conflict *ydoc.ConflictError
	err := lv.by(origin.Of(ctx), func() error { return lv.doc.Settle(made, tab, anyPerson(lv.room.Peers())) })
	if errors.As(err, &conflict) && lv.room.Barrier(ctx) != nil {
		conflict.Detail += "; the room has not confirmed yet that your change is gone"
	}
	return err
}

func anyPerson(peers []rtc.Peer) bool {
	return slices.ContainsFunc(peers, func(p rtc.Peer) bool { return !p.Agent })
}

// by makes changes in the name of an author.
func (lv *live) by(a origin.Author, change func() error) error {
	if lv.history == nil {
		return change()
	}
	return lv.history.By(a, change)
}

// As returns a client's reader of the document, which records what the client was shown and decides what it may write.
func (d *Document) As(client string) readset.Reader {
	return readset.Of(d, d.m.memory, client)
}

// Memory records what clients were shown of all documents.
func (m *Manager) Memory() *readset.Memory { return m.memory }

// History returns the changes of a notebook since its room was last joined; nil in a text.
func (d *Document) History() *changelog.Log { return d.current().history }

// StepsOf returns the steps of an author's client in the document, for undo and redo.
func (d *Document) StepsOf(author origin.Author) undo.Steps { return undo.Of(undoable{d}, author) }

// undoable implements [undo.Document] for a document.
type undoable struct{ *Document }

// History returns the history of the current replica.
func (d undoable) History() *undo.History { return d.current().steps }

// Revise makes an edit of either kind.
func (d undoable) Revise(ctx context.Context, name string, edit func(h *undo.History, may func(cells []string) error) error) error {
	return d.edit(ctx, name, func(lv *live) (*ydoc.Step, error) {
		return nil, edit(lv.steps, guardOf(ctx, d.Document, lv, name).Check)
	})
}

// Settle implements [undo.Document]. A step in a replica that was replaced needs no comparison.
func (d undoable) Settle(ctx context.Context, h *undo.History, made *ydoc.Step) error {
	lv := d.current()
	if lv.steps != h {
		return nil
	}
	return settle(ctx, lv, made)
}
