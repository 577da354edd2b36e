package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// saveEvery is the shortest time between two saves that we ask for.
const saveEvery = time.Second

// saveRetry is how long after a save that did not reach the file it is tried
// again, in case the reason has gone.
const saveRetry = 15 * time.Second

// saveTimeout is how long the server's word on a save is waited for. For a file
// that has been deleted none comes.
const saveTimeout = 5 * time.Second

// fileState is what is known of the file behind a document. The server's word
// that it has saved is no proof: it is also given for a file that cannot be
// written, has moved, or whose notebook cannot be written because of somebody's
// malformed cell. A file whose time has moved on is.
type fileState struct {
	mu       sync.Mutex
	modified time.Time     // of the file, when last looked at
	revision ydoc.Revision // of the document, when last seen on disk
	problem  string        // why the file does not follow; "" while it does
	gone     bool          // there was no file when last looked
}

func (f *fileState) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = true
}

func (f *fileState) lost() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone
}

// Unsaved says why the file does not follow the document; "" while it does, as
// far as is known. It is one sentence for the one who edits.
func (d *Document) Unsaved() string {
	d.file.mu.Lock()
	defer d.file.mu.Unlock()
	return d.file.problem
}

// wantSave asks for a save soon. The server saves by itself only after a pause
// of a second in the edits of everybody, which a busy notebook never has, and
// what it has not saved is lost when it stops.
func (d *Document) wantSave() {
	select {
	case d.saves <- struct{}{}:
	default:
	}
}

// saver asks for at most one save a second, and for none where the people in
// the room have switched autosave off.
func (d *Document) saver() {
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		select {
		case <-d.ctx.Done():
			return
		case <-d.saves:
		case <-retry.C:
			if d.Unsaved() == "" {
				continue
			}
		}
		if !d.current().room.AutosaveOff() {
			d.save(d.ctx)
			if d.Unsaved() != "" {
				retry.Reset(saveRetry)
			}
		}
		select {
		case <-d.ctx.Done():
			return
		case <-time.After(saveEvery):
		}
	}
}

// save asks for one save and looks whether it reached the file.
func (d *Document) save(ctx context.Context) {
	lv := d.current()
	revision := lv.nb.Revision()
	saving, stop := context.WithTimeout(ctx, saveTimeout)
	status, err := lv.room.Save(saving)
	stop()
	if ctx.Err() != nil || lv.room.Err() != nil {
		return // the document, or its room, is ending: there is nothing to say of the file
	}
	if status == "skipped" {
		// It is busy loading the file, as after a rename or a change on disk.
		d.wantSave()
		return
	}
	problem := d.look(ctx, revision)
	if problem == "" && err != nil {
		problem = "the server did not answer a request to save: " + err.Error()
	}
	d.note(problem)
}

// note keeps what is wrong with the file, "" for nothing, and logs what is new.
func (d *Document) note(problem string) {
	d.file.mu.Lock()
	before := d.file.problem
	d.file.problem = problem
	d.file.mu.Unlock()
	if problem != "" && problem != before {
		d.m.log.Warn("the notebook's file does not follow", "path", d.Path(), "problem", problem)
	}
}

// look compares the file with what a save should have made of it, and says what
// is wrong with it.
func (d *Document) look(ctx context.Context, revision ydoc.Revision) string {
	if d.m.cfg.Server == nil {
		return ""
	}
	c, err := d.m.cfg.Server.Contents(ctx, d.Path(), jupyter.ContentsOptions{})
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		d.file.lose()
		return "the file is no longer at this path: it was moved or deleted, and edits are not written anywhere"
	case err != nil:
		return fmt.Sprintf("it is not known whether the file was written: %v", err)
	case !c.Writable:
		return "the file is read-only: edits are seen by everybody who has it open, but not written"
	}
	d.file.mu.Lock()
	defer d.file.mu.Unlock()
	d.file.gone = false
	moved := c.LastModified.After(d.file.modified)
	d.file.modified = c.LastModified
	if moved {
		d.file.revision = revision
		return ""
	}
	if d.file.revision == revision {
		return "" // there was nothing new to write
	}
	return "the server says that it saved, but the file was not written: a malformed cell, made by another program, may keep it from being written; see the Jupyter server's log"
}

// saw records the file as it was found when the document was opened.
func (f *fileState) saw(c jupyter.Content, revision ydoc.Revision) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.modified, f.revision = c.LastModified, revision
	if !c.Writable {
		f.problem = "the file is read-only: edits are seen by everybody who has it open, but not written"
	}
}
