package session

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/session/document/filesync"
)

// saveable implements [filesync.Document] for a document.
type saveable struct{ *Document }

// Joined returns the currently joined room.
func (d saveable) Joined() filesync.Joined { return d.current().saved() }

// LastUse returns when the document was last used, and whether it is in use.
func (d saveable) LastUse() (last time.Time, busy bool) { return d.lastUse() }

// Follow finds the new path of the file.
func (d saveable) Follow(ctx context.Context, fileID string) bool { return d.follow(ctx, fileID) }
