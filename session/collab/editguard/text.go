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
	// Since is when it was joined.
	Since() time.Time
	// Named is what awareness has said of a client; false if nothing.
	Named(client uint64) (name string, agent, ok bool)
}

// InText is fn, which stages an edit of a text that a client's call makes, with a look at what it has staged: it is refused
// where it changes a word in which somebody types. All other words are free, as other cells are in a notebook.
func InText(ctx context.Context, edit string, company func() people.Company, room Room, doc *ydoc.Doc, fn func(*ydoc.TextEditor) error) func(*ydoc.TextEditor) error {
	m := of(ctx).Manners
	if origin.Of(ctx).Call == 0 || m.Force {
		return fn
	}
	in := company() // which reads the text, and nothing can while the edit is staged
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
			since = joined // what was there before came then
		}
		for _, t := range slices.Backward(e.Typed(since)) {
			if who, ok := typistIn(in, room, t.Client); ok {
				return &BusyError{Edit: edit, Line: t.Line, Index: -1, Who: who, Since: t.At, Last: t.At, Typed: t.Word, Forceable: m.Forceable, now: now}
			}
		}
		return nil
	}
}

// typistIn is what the person is called whose client has typed; false if it is an agent, or one who has left.
func typistIn(c people.Company, room Room, client uint64) (string, bool) {
	for _, p := range c.Persons() {
		if slices.ContainsFunc(p.Places, func(at people.Place) bool { return at.Client == client || at.Replica == client }) {
			return c.Called(p), true
		}
	}
	_, _, known := room.Named(client)
	return somebody, !known
}
