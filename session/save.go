package session

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

const (
	// saveEvery is the shortest time between two saves that we request.
	saveEvery = time.Second
	// saveShare times the duration of a save is the pause before the next one, if that is longer: the server does
	// little else during a save. A confirmed edit is in the file within two seconds as long as a save takes half a
	// second: it may come right after one has begun, and waits for the end of that, the pause, and the next.
	saveShare = 1
	// savePauseMax is the longest time between two saves if there are edits.
	savePauseMax = 10 * time.Second
)

// saveYield is how long our save gives way to calls and runs that use the document: the server does nothing else while
// it saves a notebook, and a caller should not wait for that.
const saveYield = time.Second

// saveTries is how often a save is asked for in a row when edits of others break it off before it has written anything,
// and savePatience for how long. The best moment to ask is right behind somebody's key.
const (
	saveTries    = 12
	savePatience = 2 * time.Second
)

// saveRetry is the pause after a save that did not reach the file.
const saveRetry = 15 * time.Second

// saveTimeout bounds the wait for the server's answer to a save. For a deleted file none comes.
const saveTimeout = 5 * time.Second

// saver saves a document's room to its file, and knows whether that succeeded.
type saver struct {
	*Document
	file   fileState
	wanted chan struct{} // wakes it
	unused chan struct{} // wakes it when nobody uses the document
	busy   chan struct{} // semaphore of one: held by a save, or to block saves
	calm   calm
	since  atomic.Int64 // when a save was first wanted that was not asked for yet, in nanoseconds; 0 for none
}

func newSaver(d *Document) *saver {
	return &saver{Document: d, wanted: make(chan struct{}, 1), unused: make(chan struct{}, 1), busy: make(chan struct{}, 1)}
}

// Unsaved says, in one sentence for callers, why the file is not up to date; "" if it is, as far as known.
func (d *Document) Unsaved() string {
	f := &d.saver.file
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem
}

// want requests a save soon. The server saves by itself only after a second without edits, which a busy notebook never
// has, and unsaved edits are lost when it stops.
func (s *saver) want() {
	s.since.CompareAndSwap(0, time.Now().UnixNano())
	select {
	case s.wanted <- struct{}{}:
	default:
	}
}

// run requests about one save a second, fewer if they take long, and none if people in the room have switched autosave
// off.
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
		s.since.Store(0)
		var took time.Duration
		if !s.current().room.AutosaveOff() {
			took = s.insist(s.ctx)
			if s.Unsaved() != "" {
				retry.Reset(saveRetry)
			}
		}
		s.release()
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(min(max(saveEvery, saveShare*took), savePauseMax)):
		}
	}
}

// insist saves, and again as long as others' edits break the save off before anything is written. Our own output is held
// meanwhile. It returns how long one save took.
func (s *saver) insist(ctx context.Context) (took time.Duration) {
	begun := time.Now()
	if _, ok := s.current().server.(collaboration); ok {
		s.calm.begin()
		defer s.calm.end()
	}
	for try := 1; ; try++ {
		asked := time.Now()
		s.save(ctx)
		took = time.Since(asked)
		if !s.file.brokenOff() || try == saveTries || time.Since(begun) > savePatience || ctx.Err() != nil {
			return took
		}
	}
}

// hold waits for the end of the current save, and blocks further ones until release; false if the context ends first.
func (s *saver) hold(ctx context.Context) bool {
	select {
	case s.busy <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// SaveAndHold saves the document, unless people have switched autosave off, and blocks further saves until release is
// called.
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

// yield returns when nobody uses the document, and saveYield after the save was wanted anyway.
func (s *saver) yield() {
	wait := saveYield
	if since := s.since.Load(); since != 0 {
		wait -= time.Since(time.Unix(0, since))
	}
	most := time.NewTimer(wait)
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

// save requests one save and checks whether it reached the file.
func (s *saver) save(ctx context.Context) {
	lv := s.current()
	s.file.begin()
	revision := lv.doc.Revision()
	saving, stop := context.WithTimeout(ctx, saveTimeout)
	status, err := lv.room.Save(saving)
	stop()
	if ctx.Err() != nil || lv.room.Err() != nil {
		return // the document, or its room, is ending
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

// Calm gives a channel that is closed when output may be written into the document: not while it is being saved.
func (d *Document) Calm() <-chan struct{} { return d.saver.calm.wait() }

// note records the file's problem, "" for none, and logs a new one.
func (s *saver) note(problem string) {
	s.file.mu.Lock()
	before := s.file.problem
	s.file.problem = problem
	s.file.mu.Unlock()
	if problem != "" && problem != before {
		s.m.log.Warn("the document's file does not follow", "path", s.Path(), "problem", problem)
	}
}

// look compares the file with the document after a save, and says what is wrong. If somebody edited during the save,
// whole is false: an edit aborts the save, and the server still reports success. The file may then come from another
// save, before our edits.
func (s *saver) look(ctx context.Context, revision ydoc.Revision, whole bool) string {
	if s.m.cfg.Server == nil {
		return ""
	}
	lv := s.current()
	return lv.server.look(ctx, s, lv, revision, whole)
}

// reloaded looks whether the server has loaded the file's content into the document.
func (s *saver) reloaded(lv *live) {
	if s.file.reloaded(lv.doc.Reloads()) {
		s.m.log.Warn("another program's write has undone edits", "path", s.Path())
	}
}

// Overwritten says, once, that confirmed edits may be lost, because another program wrote the file or the server ended
// before it saved them; "" if that is not known.
func (d *Document) Overwritten() string {
	f := &d.saver.file
	f.mu.Lock()
	defer f.mu.Unlock()
	note := f.overwritten
	f.overwritten = ""
	return note
}

// lastSaves is how often a document is saved before it is left, if others edit and save at the same time;
// lastSavesUnwritten if a save does not change the file.
const (
	lastSaves          = 6
	lastSavesUnwritten = 2
)

// last saves a document before it is left, and checks that the file has it. It checks while in the room, because others
// may save at any time, and only the room tells. A save, theirs or ours, that was aborted by an edit leaves a file
// whose hash is not in the document, like another program's write, until the next save. Then the file's content
// decides.
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
		// The server may have renamed it, and not written that into the document yet.
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

// written checks whether the file has a state that the document had since the witness began.
func (s *saver) written(ctx context.Context, lv *live, w *witness) bool {
	if s.m.cfg.Server == nil {
		return false
	}
	c, err := s.m.cfg.Server.Contents(ctx, s.Path(), lv.contentOf())
	return err == nil && w.recognizes(c)
}
