package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
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
	wait := saveTimeout
	if s.m.silent.is(lv.room.SessionID()) {
		wait = silentWait
	}
	saving, stop := context.WithTimeout(ctx, wait)
	status, err := lv.room.Save(saving)
	late := saving.Err() != nil
	stop()
	if ctx.Err() != nil || lv.room.Err() != nil {
		return // the document, or its room, is ending
	}
	s.m.silent.note(lv.room.SessionID(), err, late)
	if s.m.silent.is(lv.room.SessionID()) && lv.doc.State().Hash == "" {
		s.file.takeBack(noteOverwritten) // it was a save, which looks like a reload where no hash follows
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
	if problem == "" && err != nil && !s.m.silent.is(lv.room.SessionID()) {
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
	if s.m.silent.is(lv.room.SessionID()) && lv.doc.State().Hash == "" {
		return // it does not tell a save from a reload
	}
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
		written, err := s.lastSave(ctx, lv, w)
		if written {
			problem = ""
			break
		}
		if errors.Is(err, errSilent) {
			problem = problemSilent
			break
		}
		if err != nil {
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

// problemSilent is what is not known of a server that sends no word on saves, see silence.
const problemSilent = notKnown + "has all of it: the server sends no word on saves (jupyter-collaboration before 4), and the file differed from the document each time it was read"

var errSilent = errors.New(problemSilent)

// lastSave asks for the last save of a room. Where the server has never answered, it looks at the file meanwhile, and
// reports whether that has everything: then no word is needed.
func (s *saver) lastSave(ctx context.Context, lv *live, w *witness) (written bool, err error) {
	if s.m.cfg.Server == nil || s.m.silent.speaks(lv.room.SessionID()) {
		return false, lv.room.LastSave(ctx)
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	asked := make(chan error, 1)
	go func() { asked <- lv.room.LastSave(asking) }()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case err := <-asked:
			there := lv.room.State() == rtc.Synced && lv.room.Quiet() < lastWord
			s.m.silent.note(lv.room.SessionID(), err, there && ctx.Err() != nil)
			if err != nil && there && errors.Is(err, context.DeadlineExceeded) {
				return false, errSilent
			}
			return false, err
		case <-look.C:
			if !s.written(asking, lv, w) {
				continue
			}
			stop()
			if <-asked == nil {
				s.m.silent.note(lv.room.SessionID(), nil, false)
			}
			return true, nil
		}
	}
}

// endedUnsaved says what becomes of confirmed edits whose room has ended before they were seen in the file; "" if the
// file has them after all.
func (s *saver) endedUnsaved(ctx context.Context, lv *live) string {
	if s.m.cfg.Server == nil {
		return s.Unsaved()
	}
	c, err := s.m.cfg.Server.Contents(ctx, s.Path(), lv.contentOf())
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return problemGone + inNoFile + missing(lv.nb, nil, s.file.seen())
	case err != nil:
		return fmt.Sprintf(notKnown+"has the last confirmed edits: their room has ended, and the file cannot be read: %v", err)
	case s.holds(lv, c):
		return ""
	}
	return problemEnded + inNoFile + s.missingIn(lv, c)
}

const problemEnded = "the document's room has ended before the last confirmed edits were written"

// inNoFile begins the list of what is missing.
const inNoFile = "; in no file: "

// lacks lists what a file that exists, or not, lacks of a document that is left.
func (s *saver) lacks(ctx context.Context, lv *live) string {
	if s.m.cfg.Server == nil {
		return ""
	}
	c, err := s.m.cfg.Server.Contents(ctx, s.Path(), lv.contentOf())
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return inNoFile + missing(lv.nb, nil, s.file.seen())
	case err != nil || s.holds(lv, c):
		return ""
	}
	return inNoFile + s.missingIn(lv, c)
}

// missingIn lists what a file lacks of the document.
func (s *saver) missingIn(lv *live, c jupyter.Content) string {
	if lv.nb == nil {
		return missing(nil, nil, 0)
	}
	now, err := notebookOfFile(c.Content)
	if err != nil {
		now = nil // then it has none of it
	}
	return missing(lv.nb, now, s.file.seen())
}
