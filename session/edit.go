package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/session/author"
	"github.com/nbduet/nbduet/session/patience"
	"github.com/nbduet/nbduet/session/people"
	"github.com/nbduet/nbduet/session/saved"
	"github.com/nbduet/nbduet/session/toes"
	"github.com/nbduet/nbduet/session/undo"
	"github.com/nbduet/nbduet/ydoc"
)

// LostError says that a room was lost before it confirmed an edit: the edit was not made, or that is not known.
type LostError struct {
	Name string // the edit's
	Err  error
	// Unsure tells that it is not known.
	Unsure bool
}

func (e *LostError) Error() string {
	var end *rtc.CloseError
	if e.Unsure || errors.As(e.Err, &end) && end.Unsure {
		return fmt.Sprintf("%s: not known whether it was made: its room was lost before it had confirmed the edit; read again, and repeat it only if it is missing (%v)", e.Name, e.Err)
	}
	return fmt.Sprintf("%s: not made: its room was lost before it had confirmed the edit; read again, then repeat it (%v)", e.Name, e.Err)
}

// Unwrap gives the room's own error.
func (e *LostError) Unwrap() error { return e.Err }

// NotMadeError says that an edit was not made, because the room could not be reached: nothing was written, and nothing
// will be.
type NotMadeError struct {
	Name string // the edit's
	Err  error
}

func (e *NotMadeError) Error() string { return fmt.Sprintf("%s: not made: %v", e.Name, e.Err) }

// Unwrap says why.
func (e *NotMadeError) Unwrap() error { return e.Err }

// UnconfirmedError says that the room did not confirm an edit in time. The edit is made in our replica, and reaches the
// room when it can.
type UnconfirmedError struct {
	Name string
	Err  error
}

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("%s: not confirmed yet: the connection to the room is down or slow; the edit is sent when it is back, so read again before repeating it (%v)", e.Name, e.Err)
}

// Unconfirmed marks such errors, see [run.Unconfirmed].
func (e *UnconfirmedError) Unconfirmed() {}

// Unwrap gives the context's error.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// Edit makes one edit, as a single transaction, and returns when the room has it. If fn, or an edit that it staged,
// fails, nothing was written. A *LostError or an *UnconfirmedError says what is known about an edit that the room did
// not confirm. An edit that a client's call makes is not made where people are typing or have said hands off, see package
// toes; fn may be run several times, each time for an attempt of its own, where the call waits for them.
func (d *Document) Edit(ctx context.Context, name string, fn func(*ydoc.Editor) error) error {
	return d.edit(ctx, name, func(lv *live) (*ydoc.Step, error) {
		if lv.nb == nil {
			return nil, fmt.Errorf("%s: %w: it is a text document", name, ErrNotNotebook)
		}
		if !undo.Records(author.Of(ctx)) {
			return nil, lv.nb.Edit(name, fn)
		}
		guard := guardOf(ctx, d, lv, name)
		made, err := lv.nb.Record(name, guard.Around(fn))
		return made, guard.Placed(err)
	})
}

// MayTouch is the error of a call that is about to change cells of a notebook, and does before what cannot be taken back: that
// of the edit, see [Document.Edit].
func MayTouch(ctx context.Context, d *Document, edit string, cells []string) error {
	return toes.Patiently(ctx, func() error { return guardOf(ctx, d, d.current(), edit).Check(cells) })
}

// writing writes an edit into a replica, and returns the step, which may be nil.
type writing func(*live) (*ydoc.Step, error)

// edit makes an edit of either kind and waits until the room has it.
func (d *Document) edit(ctx context.Context, name string, write writing) error {
	opened := d.current()
	return toes.Patiently(ctx, func() error {
		if p := patience.Of(ctx); p != nil {
			return d.editPatiently(ctx, p, opened, name, write)
		}
		return d.editIn(ctx, d.current(), name, write)
	})
}

// guardOf is what keeps an edit off people's toes.
func guardOf(ctx context.Context, d *Document, lv *live, name string) *toes.Guard {
	return toes.Of(ctx, name, lv.nb, lv.history, func() people.Company { return companyIn(d, lv) })
}

// editIn makes an edit in a replica.
func (d *Document) editIn(ctx context.Context, lv *live, name string, write writing) error {
	if lv.gap != nil {
		return &NotMadeError{name, lv.gap}
	}
	if err := lv.room.Err(); err != nil {
		return fmt.Errorf("%s: the %s's room was lost and is being joined again, try again in a moment: %w", name, d.kind, err)
	}
	d.seats.Writes(author.Of(ctx).Client)
	var made *ydoc.Step
	cells, err := writtenIn(lv, func(lv *live) error {
		return lv.by(author.Of(ctx), func() (err error) {
			made, err = write(lv)
			return err
		})
	})
	if err != nil {
		return err
	}
	wrote(ctx, d, cells)
	d.saver.Edited(lv.saved(), cells)
	err = lv.room.Barrier(ctx)
	if err == nil {
		if conflict := settle(ctx, lv, made); conflict != nil {
			d.confirm(lv, cells)
			d.saver.Want()
			return conflict
		}
	}
	lv.steps.Add(author.Of(ctx), made)
	var end *rtc.CloseError
	switch {
	case err == nil:
		lv.unconfirmed.add(cells, -1)
	case errors.As(err, &end):
		return &LostError{Name: name, Err: err}
	default:
		d.confirm(lv, cells)
		return &UnconfirmedError{Name: name, Err: err}
	}
	d.saver.Want()
	return nil
}

// writtenIn makes an edit, and returns the cells whose sources it has written; they count as not confirmed.
func writtenIn(lv *live, write func(*live) error) ([]string, error) {
	if lv.nb == nil {
		return nil, write(lv)
	}
	return lv.unconfirmed.written(lv.nb, func() error { return write(lv) })
}

// confirm waits for a room's word on an edit of cells that it did not confirm in time. A room that ends gives none: its
// replica is not read any more.
func (d *Document) confirm(lv *live, cells []string) {
	if len(cells) == 0 {
		return
	}
	d.m.Go(func(context.Context) {
		if lv.room.Barrier(d.ctx) == nil {
			lv.unconfirmed.add(cells, -1)
		}
	})
}

// Unconfirmed reports whether the source of a cell has edits of ours that the server has not confirmed.
func (d *Document) Unconfirmed(cell string) bool { return d.current().unconfirmed.has(cell) }

// editPatiently makes an edit with the patience of a call: it waits for the room before it writes anything, and if the
// room is lost before it confirms the edit, for the next one, to find out whether the edit was made. opened is the room of
// which the caller has read what it needs for the edit.
func (d *Document) editPatiently(ctx context.Context, p *patience.Budget, opened *live, name string, write writing) error {
	lv, err := d.wait(ctx, p)
	if err == nil && lv != opened {
		// What the caller has read to make this edit is of a replica that is gone.
		err = fmt.Errorf("the %s's room was lost, and it was just joined again: read it again, then repeat the edit", d.kind)
	}
	if err != nil {
		return &NotMadeError{name, err}
	}
	made := error(&NotMadeError{name, nil}) // until it is written
	var before, after uint64
	err = p.Wait(ctx, func(ctx context.Context) error {
		before = lv.doc.Clock(lv.doc.ClientID())
		made = d.editIn(ctx, lv, name, func(lv *live) (*ydoc.Step, error) {
			step, err := write(lv)
			after = lv.doc.Clock(lv.doc.ClientID())
			return step, err
		})
		var lost *LostError
		if errors.As(made, &lost) {
			made = d.judge(ctx, lv, lost, before, after)
		}
		return made
	})
	var notMade *NotMadeError
	if errors.As(made, &notMade) && notMade.Err == nil {
		notMade.Err = err
	}
	var unconfirmed *UnconfirmedError
	var away *patience.AwayError
	if errors.As(made, &unconfirmed) && errors.As(err, &away) {
		unconfirmed.Err = away
	}
	return made
}

// judge finds out whether an edit was made whose room was lost before it confirmed that, from the room that comes
// after it. before and after are the clock of our edits around it.
func (d *Document) judge(ctx context.Context, lv *live, lost *LostError, before, after uint64) error {
	lost.Unsure = true
	next, err := d.inStep(ctx)
	if err != nil || next == lv {
		return lost
	}
	has := next.doc.Clock(lv.doc.ClientID())
	switch {
	case saved.Same(lv.saved(), next.saved()), after > before && has >= after:
		d.saver.Want()
		return nil
	case has > 0 && after > before:
		lost.Unsure = false // the room has our earlier edits, and not this one
	}
	return lost
}

// backWait is how long an edit beside which others changed the same text waits until the server passes it on.
const backWait = 2 * time.Second

// settle finds out whether others changed the same words while an edit that the room has confirmed was on its way. The
// first of two agents' edits at the server stands. A person's stands in either order, because a tab takes nothing back.
// An edit that does not stand is taken back, and the error is a [*ydoc.ConflictError].
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
	err := lv.by(author.Of(ctx), func() error { return lv.doc.Settle(made, tab, anyPerson(lv.room.Peers())) })
	if errors.As(err, &conflict) && lv.room.Barrier(ctx) != nil {
		conflict.Detail += "; the room has not confirmed yet that your change is gone"
	}
	return err
}

func anyPerson(peers []rtc.Peer) bool {
	return slices.ContainsFunc(peers, func(p rtc.Peer) bool { return !p.Agent })
}

// by makes changes that count as an author's.
func (lv *live) by(a author.Author, change func() error) error {
	if lv.history == nil {
		return change()
	}
	return lv.history.By(a, change)
}
