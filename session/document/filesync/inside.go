package filesync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// jupyter-server-documents saves by itself and gives no proof of it: the document has no hash of the file, and the server
// clears the mark of unsaved changes even if an edit came during the write. So the proof is the file's content. A renamed
// file keeps its room, but the room does not name the path.

// Notes on uncertain results.
const (
	noteJoinedAfresh = "the connection to the document was lost and it was rejoined, and confirmed edits that were not yet seen in the file are missing or were changed since: edits of the preceding seconds may be missing; read it again"
	notKnown         = "it is not known whether the file " // begins the reasons that are not certain
	problemUnknown   = notKnown + "has all of it: the server (jupyter-server-documents) does not say, and the file differed from the document each time it was read"
)

// lookEvery is the pause between two looks at a file, and lookTries their number: the server saves within half a second, or
// within a few times the duration of the last save.
const (
	lookEvery = 250 * time.Millisecond
	lookTries = 14
)

// lookInside compares the file's content with the document several times, because the server saves by itself; unknown is the
// problem if they differ each time.
func (s *Saver) lookInside(ctx context.Context, j Joined, unknown string) string {
	revision := j.replica().Revision()
	opt := j.ContentOf()
	var seen time.Time
	var failed error
	for try := range lookTries {
		c, err := s.server.Contents.Get(ctx, s.doc.Path(), jupyter.ContentsOptions{})
		switch {
		case errors.Is(err, jupyter.ErrNotFound) && s.doc.Follow(ctx, j.Room.FileID()):
			continue
		case errors.Is(err, jupyter.ErrNotFound):
			s.file.lose()
			return problemGone
		case err == nil && !c.Writable:
			return problemReadOnly
		}
		if err == nil && (!c.LastModified.Equal(seen) || try == lookTries-1) {
			// A file cannot be read while it is being written.
			if c, err = s.server.Contents.Get(ctx, s.doc.Path(), opt); err == nil && s.holds(j, c) {
				return ""
			}
			seen = c.LastModified
		}
		failed = err
		select {
		case <-ctx.Done():
			failed = ctx.Err()
		case <-time.After(lookEvery):
			continue
		}
		break
	}
	switch {
	case failed != nil:
		return fmt.Sprintf("it is not known whether the file was written: %v", failed)
	case j.replica().Revision() != revision && s.ctx.Err() == nil:
		s.Want() // it was being edited: the next look will decide
		return s.Unsaved()
	}
	return unknown
}

// holds reports whether a file has the document's current content, and if so records it.
func (s *Saver) holds(j Joined, c jupyter.Content) bool {
	revision := j.replica().Revision()
	if differs, err := j.Ahead(c); err != nil || differs != nil || j.replica().Revision() != revision {
		return false
	}
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	s.file.modified, s.file.revision, s.file.proven, s.file.gone = c.LastModified, revision, s.file.saving, false
	return true
}
