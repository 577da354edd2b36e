package filesync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// settleTries is how often the file's hash is compared with the hash in the document: a save by the server may come
// between reading the two.
const settleTries = 4

// lookAtHash compares the file with the expected result of a save, by the hash that jupyter-collaboration puts into the
// document, see [Saver.look].
func (s *Saver) lookAtHash(ctx context.Context, j Joined, revision ydoc.Revision, whole bool) string {
	if s.silent.is(j.Room.SessionID()) {
		return s.lookInside(ctx, j, problemSilent)
	}
	var c jupyter.Content
	var named string
	for range settleTries {
		var err error
		c, err = s.server.Contents.Get(ctx, s.doc.Path(), jupyter.ContentsOptions{Hash: true})
		switch {
		case errors.Is(err, jupyter.ErrNotFound):
			s.file.lose()
			return problemGone
		case err != nil:
			return fmt.Sprintf("it is not known whether the file was written: %v", err)
		case !c.Writable:
			return problemReadOnly
		case !whole:
			return s.file.unproven(c.LastModified)
		}
		// After the barrier, the replica has what the server wrote into the document; in a room that was left it came before.
		if err := j.Room.Barrier(ctx); err != nil && !errors.Is(err, rtc.ErrLeft) {
			return fmt.Sprintf("it is not known whether the file was written: %v", err)
		}
		if named = j.replica().State().Hash; named == "" || c.Hash == "" || named == c.Hash {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	s.Reloaded(j) // first: edits that a reload has undone were not written
	problem := s.file.compare(c, named, revision, j.source)
	if problem == problemForeign {
		s.Want() // the server has noticed by now, but does not save by itself before the next edit
	}
	return problem
}
