package session

import (
	"context"
	"time"

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

// SaveAndHold saves the document, where people have not switched that off, and keeps it from being saved again until
// release is called.
func (d *Document) SaveAndHold(ctx context.Context) (release func(), err error) {
	if !d.holdSaves(ctx) {
		return nil, ctx.Err()
	}
	if !d.current().room.AutosaveOff() {
		d.save(ctx)
	}
	return d.releaseSaves, nil
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
	return lv.server.look(ctx, d, lv, revision, whole)
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
