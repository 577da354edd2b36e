package session

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/session/saved"
)

// Unsaved says, in one sentence for callers, why the file is not up to date; "" if it is, as far as known.
func (d *Document) Unsaved() string { return d.saver.Unsaved() }

// Overwritten says, once, that confirmed edits may be lost, see [saved.Saver.Overwritten].
func (d *Document) Overwritten() string { return d.saver.Overwritten() }

// SaveAndHold saves the document, and blocks further saves until release is called, see [saved.Saver.SaveAndHold].
func (d *Document) SaveAndHold(ctx context.Context) (release func(), err error) {
	return d.saver.SaveAndHold(ctx)
}

// saveable is a document as a [saved.Document].
type saveable struct{ *Document }

// Joined is the room as currently joined.
func (d saveable) Joined() saved.Joined { return d.current().saved() }

// LastUse is when the document was last used, and whether it is in use.
func (d saveable) LastUse() (last time.Time, busy bool) { return d.lastUse() }

// Follow finds the new path of the file.
func (d saveable) Follow(ctx context.Context, fileID string) bool { return d.follow(ctx, fileID) }
