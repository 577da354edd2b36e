package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// What is different where the server has jupyter-server-documents in place of jupyter-collaboration; extension.go has
// the rest.
//
// It saves by itself and says nothing of it that could be a proof: there is no hash of the file, and the mark of
// unsaved changes is taken away also when an edit came in while the file was being written. So the proof is the file's
// content. A renamed file keeps its room, but the room does not say its path.

// notes on what is not known there.
const (
	noteJoinedAfresh = "the connection to the document was lost and it was joined afresh, and what was confirmed but not seen in the file before is not all there, or has been changed since: edits of the last seconds before may be missing; read it again"
	notKnown         = "it is not known whether the file " // begins a reason that is no more than a doubt
	problemUnknown   = notKnown + "has all of it: the server (jupyter-server-documents) does not tell, and the file was not the same as the document whenever it was looked at"
)

// lookEvery is the pause between two looks at a file that is being waited for, and lookTries how many there are: the
// server saves within half a second, or within some times what the last save took.
const (
	lookEvery = 250 * time.Millisecond
	lookTries = 14
)

// serverDocuments is jupyter-server-documents.
type serverDocuments struct{}

// look compares the file with the document, for a while: the server saves by itself.
func (serverDocuments) look(ctx context.Context, s *saver, lv *live, _ ydoc.Revision, _ bool) string {
	revision := lv.doc.Revision()
	opt := lv.contentOf()
	var seen time.Time
	var failed error
	for try := range lookTries {
		c, err := s.m.cfg.Server.Contents(ctx, s.Path(), jupyter.ContentsOptions{})
		switch {
		case errors.Is(err, jupyter.ErrNotFound) && s.follow(ctx, lv):
			continue
		case errors.Is(err, jupyter.ErrNotFound):
			s.file.lose()
			return problemGone
		case err == nil && !c.Writable:
			return problemReadOnly
		}
		if err == nil && (!c.LastModified.Equal(seen) || try == lookTries-1) {
			// A file that is just being written cannot be read.
			if c, err = s.m.cfg.Server.Contents(ctx, s.Path(), opt); err == nil && s.holds(lv, c) {
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
	case lv.doc.Revision() != revision && s.ctx.Err() == nil:
		s.want() // it was edited all the while: another look will tell
		return s.Unsaved()
	}
	return problemUnknown
}

// holds reports whether a file, with its content, is what the document is now, and then takes note of it.
func (s *saver) holds(lv *live, c jupyter.Content) bool {
	revision := lv.doc.Revision()
	differs, err := ahead(lv.nb, lv.text, c)
	if err != nil || differs != nil || lv.doc.Revision() != revision {
		return false
	}
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	s.file.modified, s.file.revision, s.file.proven, s.file.gone = c.LastModified, revision, s.file.saving, false
	return true
}
