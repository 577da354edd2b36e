package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// saveEvery is the shortest time between two saves that we ask for.
	saveEvery = time.Second
	// saveShare is how many times as long as a save took the next one is left
	// for, where that is longer: the server does nothing else meanwhile.
	saveShare = 20
	// savePauseMax is the longest time between two saves where there are edits.
	savePauseMax = 10 * time.Second
)

// saveYield is how long a save that we ask for gives way to calls and runs that
// use the document. The server does nothing else while it saves a notebook, and
// who has just asked for something should not wait for that.
const saveYield = time.Second

// saveRetry is how long after a save that did not reach the file it is tried
// again, in case the reason has gone.
const saveRetry = 15 * time.Second

// saveTimeout is how long the server's word on a save is waited for. For a file
// that has been deleted none comes.
const saveTimeout = 5 * time.Second

// fileState is what is known of the file behind a document. The server's word
// that it has saved is no proof: it is also given for a file that cannot be
// written, has moved or was changed by another program, and for a notebook that
// cannot be written because of somebody's malformed cell. After each save that
// it really made, the server puts the hash of the file into the document; so
// the proof is a file that has that hash, and is another than before.
type fileState struct {
	mu          sync.Mutex
	modified    time.Time     // of the file, when last looked at
	hash        string        // that the document named then; "" where it named none
	revision    ydoc.Revision // of the document, when last seen on disk
	edits       uint64        // of ours, counted
	saving      uint64        // how many of them the save that goes on has
	proven      uint64        // how many of them were seen on disk
	problem     string        // why the file does not follow; "" while it does
	overwritten string        // what became of confirmed edits of ours; "" when told
	gone        bool          // there was no file when last looked
}

// What is said of a file that does not follow.
const (
	problemReadOnly = "the file is read-only: edits are seen by everybody who has it open, but not written"
	problemGone     = "the file is no longer at this path: it was moved or deleted, and edits are not written anywhere"
	problemUnproven = "the server says that it saved, but the file was not written: a malformed cell, made by another program, may keep it from being written; see the Jupyter server's log"
	problemForeign  = "the file was changed by another program at the same time, and not written"
	noteForgotten   = "the Jupyter server was restarted, or had let go of the document, before it had saved all of it: edits of the last seconds before may be missing; read it again"
	noteOverwritten = "another program has changed the file, and the server has put the file's content in place of what was open: edits of the last seconds before may be undone; read it again"
)

// settleTries is how often the file is compared with the document's word for
// it: a save of the server's own may come between the two looks.
const settleTries = 4

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

// edited counts an edit of ours, as soon as the room can have it.
func (f *fileState) edited() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.edits++
}

// begin is called before a save is asked for: a look afterwards proves the
// edits until here.
func (f *fileState) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saving = f.edits
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

// saver asks for at most one save a second, for fewer where they take the server
// long, and for none where the people in the room have switched autosave off.
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
		d.yield()
		if !d.holdSaves(d.ctx) {
			return
		}
		asked := time.Now()
		if !d.current().room.AutosaveOff() {
			d.save(d.ctx)
			if d.Unsaved() != "" {
				retry.Reset(saveRetry)
			}
		}
		d.releaseSaves()
		select {
		case <-d.ctx.Done():
			return
		case <-time.After(min(max(saveEvery, saveShare*time.Since(asked)), savePauseMax)):
		}
	}
}

// holdSaves waits for the end of the save that goes on, and keeps further ones
// from being asked for until releaseSaves; false where the context ends first.
func (d *Document) holdSaves(ctx context.Context) bool {
	select {
	case d.saving <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (d *Document) releaseSaves() { <-d.saving }

// yield returns when nobody uses the document, and after saveYield anyway.
func (d *Document) yield() {
	most := time.NewTimer(saveYield)
	defer most.Stop()
	for {
		if _, busy := d.idleFor(time.Now()); !busy {
			return
		}
		select {
		case <-d.unused:
		case <-most.C:
			return
		case <-d.ctx.Done():
			return
		}
	}
}

// save asks for one save and looks whether it reached the file.
func (d *Document) save(ctx context.Context) {
	lv := d.current()
	d.file.begin()
	revision := lv.doc.Revision()
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
	whole := lv.doc.Revision() == revision
	if !whole {
		d.wantSave()
	}
	problem := d.look(ctx, revision, whole)
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
		d.m.log.Warn("the document's file does not follow", "path", d.Path(), "problem", problem)
	}
}

// look compares the file with what a save should have made of it, and says what
// is wrong with it. A save during which somebody has edited is not a whole one:
// each edit breaks off the save that goes on, and the server calls that a success,
// too. What it finds then, another save may have made, before our edits.
func (d *Document) look(ctx context.Context, revision ydoc.Revision, whole bool) string {
	if d.m.cfg.Server == nil {
		return ""
	}
	lv := d.current()
	if lv.documents {
		return d.lookUnasked(ctx, lv)
	}
	var c jupyter.Content
	var named string
	for range settleTries {
		var err error
		c, err = d.m.cfg.Server.Contents(ctx, d.Path(), jupyter.ContentsOptions{Hash: true})
		switch {
		case errors.Is(err, jupyter.ErrNotFound):
			d.file.lose()
			return problemGone
		case err != nil:
			return fmt.Sprintf("it is not known whether the file was written: %v", err)
		case !c.Writable:
			return problemReadOnly
		case !whole:
			return d.file.unproven()
		}
		// The barrier's answer brings what the server has written into the
		// document. In a room that has been left it came before.
		if err := lv.room.Barrier(ctx); err != nil && !errors.Is(err, rtc.ErrLeft) {
			return fmt.Sprintf("it is not known whether the file was written: %v", err)
		}
		if named = lv.doc.State().Hash; named == "" || c.Hash == "" || named == c.Hash {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	problem := d.file.compare(c, named, revision)
	if problem == problemForeign {
		d.wantSave() // the server has noticed by now; it does not save by itself before the next edit
	}
	return problem
}

// unproven is what there is to say of a file that is there, and that can be
// written, but of which nothing else is known than before.
func (f *fileState) unproven() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = false
	if f.problem == problemGone || f.problem == problemReadOnly {
		return ""
	}
	return f.problem
}

// compare is what look makes of the file and of the hash that the document
// names.
func (f *fileState) compare(c jupyter.Content, named string, revision ydoc.Revision) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = false
	moved := !c.LastModified.Equal(f.modified)
	fresh := moved || named != f.hash
	f.modified, f.hash = c.LastModified, named
	switch {
	case f.revision == revision && (named == "" || named == c.Hash):
		return "" // there was nothing new to write
	case !fresh:
		return problemUnproven
	case c.Hash != "" && named != c.Hash:
		// The time has moved and it was not the server: it has either taken
		// the file's content over, which takes the hash away, or kept its own.
		if named == "" {
			f.overwrite()
		}
		return problemForeign
	}
	f.revision, f.proven = revision, f.saving
	return ""
}

// overwrite notes what the file's content in place of the document's does to
// our edits, if there are any that are not in the file. The caller holds mu.
func (f *fileState) overwrite() (lost bool) {
	if f.proven == f.edits {
		return false
	}
	f.overwritten, f.proven, f.saving = noteOverwritten, f.edits, f.edits
	return true
}

// has says whether the file is known to have all of a revision of the document,
// every edit of ours included.
func (f *fileState) has(revision ydoc.Revision) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision == revision && f.proven == f.edits && f.problem == "" && !f.gone
}

// forget notes that the server no longer has edits of ours which it had
// confirmed, if there are any that it had not written.
func (f *fileState) forget(note string) (lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.proven == f.edits {
		return false
	}
	f.overwritten, f.proven, f.saving = note, f.edits, f.edits
	return true
}

// reloaded notes that the server has put the file's content in place of the
// document's, while there were edits of ours that were not in the file.
func (f *fileState) reloaded() (lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hash = ""
	return f.overwrite()
}

// Overwritten says, once, that edits which were confirmed may have been undone
// since, by another program's write to the file or by the end of the server
// before it had saved them; "" where nothing of the kind is known.
func (d *Document) Overwritten() string {
	d.file.mu.Lock()
	defer d.file.mu.Unlock()
	note := d.file.overwritten
	d.file.overwritten = ""
	return note
}

// saw records the file as it was found when the document was opened.
func (f *fileState) saw(c jupyter.Content, doc replica) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.modified, f.hash, f.revision = c.LastModified, doc.State().Hash, doc.Revision()
	if !c.Writable {
		f.problem = problemReadOnly
	}
}
