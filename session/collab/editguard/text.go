package editguard

import (
	"context"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Room is the room of a text.
type Room interface {
	// Since returns when it was joined.
	Since() time.Time
	// Named returns a client's name from awareness, and whether it is an agent; false if awareness has not described it.
	Named(client uint64) (name string, agent, ok bool)
}

// InText returns fn, which stages an edit of a text, with a check of the staged edit if it comes from a client's call: it is
// refused if it changes a word that a person is typing. All other words are free, like other cells in a notebook.
func InText(ctx context.Context, edit string, company func() people.Company, room Room, doc *ydoc.Doc, fn func(*ydoc.TextEditor) error) func(*ydoc.TextEditor) error {
	m := of(ctx).Manners
	if origin.Of(ctx).Call == 0 || m.Force {
		return fn
	}
	in := company() // reads the text, which is locked while the edit is staged
	left := early(time.Since(room.Since()), doc)
	return func(e *ydoc.TextEditor) error {
		if err := fn(e); err != nil {
			return err
		}
		if left > 0 {
			return &earlyError{edit, left}
		}
		now := time.Now()
		since := now.Add(-Quiet)
		if joined := room.Since(); joined.After(since) {
			since = joined // earlier text came with the join
		}
		for _, t := range slices.Backward(e.Typed(since)) {
			if who, ok := typistIn(in, room, t.Client); ok {
				return &BusyError{Edit: edit, Line: t.Line, Index: -1, Who: who, Since: t.At, Last: t.At, Typed: t.Word, Forceable: m.Forceable, now: now}
			}
		}
		return nil
	}
}

// typistIn returns the name of the person whose client has typed; false for an agent, or a person who has left.
func typistIn(c people.Company, room Room, client uint64) (string, bool) {
	for _, p := range c.Persons() {
		if slices.ContainsFunc(p.Places, func(at people.Place) bool { return at.Client == client || at.Replica == client }) {
			return c.Called(p), true
		}
	}
	_, _, known := room.Named(client)
	return people.Unnamed, !known
}
