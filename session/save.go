package session

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

const (
	// saveEvery is the shortest time between two saves that we ask for.
	saveEvery = time.Second
	// saveShare is how many times as long as a save took the next one is left for, where that is longer: the server
	// does nothing else meanwhile.
	saveShare = 20
	// savePauseMax is the longest time between two saves where there are edits.
	savePauseMax = 10 * time.Second
)

// saveYield is how long a save that we ask for gives way to calls and runs that use the document. The server does
// nothing else while it saves a notebook, and who has just asked for something should not wait for that.
const saveYield = time.Second

// saveRetry is how long after a save that did not reach the file it is tried again, in case the reason has gone.
const saveRetry = 15 * time.Second

// saveTimeout is how long the server's word on a save is waited for. For a file that has been deleted none comes.
const saveTimeout = 5 * time.Second

// saver sees to it that what is in a document's room gets into its file, and knows whether it has.
type saver struct {
	*Document
	file   fileState
	wanted chan struct{} // wakes it
	unused chan struct{} // tells it that nobody uses the document now
	busy   chan struct{} // has one place, taken by who saves the document, or keeps it from being saved
}

func newSaver(d *Document) *saver {
	return &saver{Document: d, wanted: make(chan struct{}, 1), unused: make(chan struct{}, 1), busy: make(chan struct{}, 1)}
}

// Unsaved says why the file does not follow the document; "" while it does, as far as is known. It is one sentence for
// the one who edits.
func (d *Document) Unsaved() string {
	f := &d.saver.file
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem
}

// want asks for a save soon. The server saves by itself only after a pause of a second in the edits of everybody, which
// a busy notebook never has, and what it has not saved is lost when it stops.
func (s *saver) want() {
	select {
	case s.wanted <- struct{}{}:
	default:
	}
}

// run asks for at most one save a second, for fewer where they take the server long, and for none where the people in
// the room have switched autosave off.
func (s *saver) run() {
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.wanted:
		case <-retry.C:
			if s.Unsaved() == "" {
				continue
			}
		}
		s.yield()
		if !s.hold(s.ctx) {
			return
		}
		asked := time.Now()
		if !s.current().room.AutosaveOff() {
			s.save(s.ctx)
			if s.Unsaved() != "" {
				retry.Reset(saveRetry)
			}
		}
		s.release()
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(min(max(saveEvery, saveShare*time.Since(asked)), savePauseMax)):
		}
	}
}

// hold waits for the end of the save that goes on, and keeps further ones from being asked for until release; false
// where the context ends first.
func (s *saver) hold(ctx context.Context) bool {
	select {
	case s.busy <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// SaveAndHold saves the document, where people have not switched that off, and keeps it from being saved again until
// release is called.
func (d *Document) SaveAndHold(ctx context.Context) (release func(), err error) {
	if !d.saver.hold(ctx) {
		return nil, ctx.Err()
	}
	if !d.current().room.AutosaveOff() {
		d.saver.save(ctx)
	}
	return d.saver.release, nil
}

func (s *saver) release() { <-s.busy }

// yield returns when nobody uses the document, and after saveYield anyway.
func (s *saver) yield() {
	most := time.NewTimer(saveYield)
	defer most.Stop()
	for {
		if _, busy := s.lastUse(); !busy {
			return
		}
		select {
		case <-s.unused:
		case <-most.C:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// save asks for one save and looks whether it reached the file.
func (s *saver) save(ctx context.Context) {
	lv := s.current()
	s.file.begin()
	revision := lv.doc.Revision()
	saving, stop := context.WithTimeout(ctx, saveTimeout)
	status, err := lv.room.Save(saving)
	stop()
	if ctx.Err() != nil || lv.room.Err() != nil {
		return // the document, or its room, is ending: there is nothing to say of the file
	}
	if status == "skipped" {
		// It is busy loading the file, as after a rename or a change on disk.
		s.want()
		return
	}
	whole := lv.doc.Revision() == revision
	if !whole {
		s.want()
	}
	problem := s.look(ctx, revision, whole)
	if problem == "" && err != nil {
		problem = "the server did not answer a request to save: " + err.Error()
	}
	s.note(problem)
}

// note keeps what is wrong with the file, "" for nothing, and logs what is new.
func (s *saver) note(problem string) {
	s.file.mu.Lock()
	before := s.file.problem
	s.file.problem = problem
	s.file.mu.Unlock()
	if problem != "" && problem != before {
		s.m.log.Warn("the document's file does not follow", "path", s.Path(), "problem", problem)
	}
}

// look compares the file with what a save should have made of it, and says what is wrong with it. A save during which
// somebody has edited is not a whole one: each edit breaks off the save that goes on, and the server calls that a
// success, too. What it finds then, another save may have made, before our edits.
func (s *saver) look(ctx context.Context, revision ydoc.Revision, whole bool) string {
	if s.m.cfg.Server == nil {
		return ""
	}
	lv := s.current()
	return lv.server.look(ctx, s, lv, revision, whole)
}

// Overwritten says, once, that edits which were confirmed may have been undone since, by another program's write to the
// file or by the end of the server before it had saved them; "" where nothing of the kind is known.
func (d *Document) Overwritten() string {
	f := &d.saver.file
	f.mu.Lock()
	defer f.mu.Unlock()
	note := f.overwritten
	f.overwritten = ""
	return note
}

// lastSaves is how often a document is saved before it is left, where others edit and save at the same time;
// lastSavesUnwritten where a save leaves the file as it was.
const (
	lastSaves          = 6
	lastSavesUnwritten = 2
)

// last saves a document that is about to be left, and looks whether the file has it. It looks from within the room:
// others may save at any time, and only there it is heard of. A save of theirs that was broken off by an edit leaves a
// file that nobody names, as another program's would be, until the next save; and so can ours be broken off. Then it is
// the file's content that tells.
func (s *saver) last(ctx context.Context, lv *live, revision ydoc.Revision) error {
	w := newWitness(lv.nb, lv.text)
	defer w.end()
	problem := problemForeign
	for try := 1; try <= lastSaves && (problem == problemForeign || problem == problemUnproven && try <= lastSavesUnwritten); try++ {
		before := lv.doc.Revision()
		if err := lv.room.LastSave(ctx); err != nil {
			return err
		}
		if whole := lv.doc.Revision() == before; whole || try == lastSaves {
			problem = s.look(ctx, revision, true)
		}
		// The server may have renamed it, and not said so in the document yet.
		if problem == problemGone && s.follow(ctx, lv) {
			problem = s.look(ctx, revision, true)
		}
		if (problem == problemForeign || problem == problemUnproven) && s.written(ctx, lv, w) {
			problem = ""
		}
	}
	s.note(problem)
	return nil
}

// written looks whether the file is what the document has been like since the witness began.
func (s *saver) written(ctx context.Context, lv *live, w *witness) bool {
	if s.m.cfg.Server == nil {
		return false
	}
	c, err := s.m.cfg.Server.Contents(ctx, s.Path(), lv.contentOf())
	return err == nil && w.recognizes(c)
}
