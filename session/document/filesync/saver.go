package filesync

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// saveEvery is the shortest time between two saves that we request.
	saveEvery = time.Second
	// saveShare times the duration of a save is the pause before the next one, if that is longer: the server does little else
	// during a save. A confirmed edit is in the file within two seconds as long as a save takes half a second: it may come
	// right after a save has begun, and waits for the end of that, the pause, and the next save.
	saveShare = 1
	// savePauseMax is the longest time between two saves while edits are unsaved.
	savePauseMax = 10 * time.Second
)

// saveYield is how long a save waits for calls and runs that use the document: the server is blocked while it saves a
// notebook, and a caller should not wait for that.
const saveYield = time.Second

// saveTries is how often a save is repeated if edits of others interrupt it before it has written anything, and longestSave
// for how long. The best moment to request it is right after a person's key.
const (
	saveTries   = 12
	longestSave = 2 * time.Second
)

// saveRetry is the pause after a save that did not reach the file.
const saveRetry = 15 * time.Second

// saveTimeout bounds the wait for the server's answer to a save. For a deleted file it does not answer.
const saveTimeout = 5 * time.Second

// A Saver saves a document's room to its file, and knows whether that succeeded. Make it with [New].
type Saver struct {
	ctx    context.Context // ends with the document
	doc    Document
	server *jupyter.Server // nil in tests without files
	silent *Silence
	log    *slog.Logger
	file   fileState
	wanted chan struct{} // wakes Run
	unused chan struct{} // wakes it when the document is no longer in use
	busy   chan struct{} // semaphore of one: held by a save, or to block saves
	calm   outputGate
	since  atomic.Int64 // when a save was first wanted that has not been requested yet, in nanoseconds; 0 for none
}

// New returns the saver of a document on a server. The context ends with the document; silent is shared by all documents on
// that server.
func New(ctx context.Context, doc Document, server *jupyter.Server, silent *Silence, log *slog.Logger) *Saver {
	s := &Saver{
		ctx: ctx, doc: doc, server: server, silent: silent, log: log,
		wanted: make(chan struct{}, 1), unused: make(chan struct{}, 1), busy: make(chan struct{}, 1),
	}
	s.calm.begin()() // output may pass
	return s
}

// Unsaved says, in one sentence for callers, why the file is not up to date; "" if it is, as far as known.
func (s *Saver) Unsaved() string {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	return s.file.problem
}

// Edited records one of our edits as soon as the room may have it. cells are the cells whose sources it wrote.
func (s *Saver) Edited(j Joined, cells []string) {
	if j.Text != nil {
		cells = []string{""}
	}
	s.file.edited(lo.SliceToMap(cells, func(id string) (string, string) { return id, j.source(id) }))
}

// Unused tells the saver that the document is no longer in use.
func (s *Saver) Unused() {
	select {
	case s.unused <- struct{}{}:
	default:
	}
}

// Want requests a save soon. The server saves by itself only after a second without edits, which a busy notebook never
// has, and unsaved edits are lost when it stops.
func (s *Saver) Want() {
	s.since.CompareAndSwap(0, time.Now().UnixNano())
	select {
	case s.wanted <- struct{}{}:
	default:
	}
}

// Run requests about one save a second, fewer if they take long, and none if people in the room have switched autosave off.
func (s *Saver) Run() {
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
		if !s.doc.Joined().Room.AutosaveOff() {
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

// insist saves, and repeats that while others' edits interrupt the save before anything is written. Our own output is held
// in the meantime. It returns the duration of one save.
func (s *Saver) insist(ctx context.Context) (took time.Duration) {
	begun := time.Now()
	if !s.doc.Joined().Documents {
		defer s.calm.begin()()
	}
	for try := 1; ; try++ {
		asked := time.Now()
		s.save(ctx)
		took = time.Since(asked)
		if !s.file.brokenOff() || try == saveTries || time.Since(begun) > longestSave || ctx.Err() != nil {
			return took
		}
	}
}

// hold waits for the end of the current save, and blocks further ones until release; false if the context ends first.
func (s *Saver) hold(ctx context.Context) bool {
	select {
	case s.busy <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// SaveAndHold saves the document, unless people have switched autosave off, and blocks further saves until release is
// called.
func (s *Saver) SaveAndHold(ctx context.Context) (release func(), err error) {
	if !s.hold(ctx) {
		return nil, ctx.Err()
	}
	if !s.doc.Joined().Room.AutosaveOff() {
		s.save(ctx)
	}
	return s.release, nil
}

func (s *Saver) release() { <-s.busy }

// yield returns when the document is not in use, or saveYield after the save was wanted.
func (s *Saver) yield() {
	wait := saveYield
	if since := s.since.Load(); since != 0 {
		wait -= time.Since(time.Unix(0, since))
	}
	most := time.NewTimer(wait)
	defer most.Stop()
	for {
		if _, busy := s.doc.LastUse(); !busy {
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
func (s *Saver) save(ctx context.Context) {
	j := s.doc.Joined()
	s.file.begin()
	revision := j.replica().Revision()
	wait := lo.Ternary(s.silent.is(j.Room.SessionID()), silentWait, saveTimeout)
	saving, stop := context.WithTimeout(ctx, wait)
	status, err := j.Room.Save(saving)
	late := saving.Err() != nil
	stop()
	if ctx.Err() != nil || j.Room.Err() != nil {
		return // the document, or its room, is ending
	}
	s.silent.note(j.Room.SessionID(), err, late)
	if s.silent.is(j.Room.SessionID()) && j.replica().State().Hash == "" {
		s.file.takeBack(noteOverwritten) // it was a save, which looks like a reload if no hash follows
	}
	if status == "skipped" {
		// The server is loading the file, as after a rename or a change on disk.
		s.Want()
		return
	}
	whole := j.replica().Revision() == revision
	if !whole {
		s.Want()
	}
	problem := s.look(ctx, revision, whole)
	if problem == "" && err != nil && !s.silent.is(j.Room.SessionID()) {
		problem = "the server did not answer a request to save: " + err.Error()
	}
	s.note(problem)
}

// OutputAllowed returns a channel that is closed when output may be written into the document: not while it is being saved.
func (s *Saver) OutputAllowed() <-chan struct{} { return s.calm.wait() }

// note records the file's problem, "" for none, and logs a new one.
func (s *Saver) note(problem string) {
	if problem == problemUnproven {
		problem = cmp.Or(s.doc.Joined().unwritable(), problem)
	}
	s.file.mu.Lock()
	before := s.file.problem
	s.file.problem = problem
	s.file.mu.Unlock()
	if problem != "" && problem != before {
		s.log.Warn("the document's file is not updated", "path", s.doc.Path(), "problem", problem)
	}
}

// look compares the file with the document after a save, and returns the problem. If the document was edited during the
// save, whole is false: an edit aborts the save, and the server still reports success. The file may then come from another
// save, before our edits.
func (s *Saver) look(ctx context.Context, revision ydoc.Revision, whole bool) string {
	if s.server == nil {
		return ""
	}
	j := s.doc.Joined()
	if j.Documents {
		return s.lookInside(ctx, j, problemUnknown)
	}
	return s.lookAtHash(ctx, j, revision, whole)
}

// Reloaded checks whether the server has loaded the file's content into the document.
func (s *Saver) Reloaded(j Joined) {
	if s.silent.is(j.Room.SessionID()) && j.replica().State().Hash == "" {
		return // a save cannot be distinguished from a reload
	}
	if s.file.reloaded(j.replica().Reloads(), j.source) {
		s.log.Warn("another program's write has undone edits", "path", s.doc.Path())
	}
}

// Overwritten says, once, that confirmed edits may be lost, because another program wrote the file or the server ended
// before it saved them; "" if that is not known.
func (s *Saver) Overwritten() string {
	f := &s.file
	f.mu.Lock()
	defer f.mu.Unlock()
	note := f.overwritten
	f.overwritten = ""
	return note
}

// Each edit by any client interrupts a save that the server has begun, unless it is already writing the file, and the save
// starts again after a second without edits. A cell that prints would interrupt every save. So our own output, which comes
// in batches anyway, is held during a save.

// maxHold is the longest time that output is held: people are waiting for it, and a save may take longer, or never finish
// while a person types.
const maxHold = 2 * time.Second

// outputGate holds output. Its first begin comes before the first wait.
type outputGate struct{ over atomic.Value } // a channel that is closed when output may pass

// begin holds output until end is called, at most for calmMax.
func (c *outputGate) begin() (end func()) {
	hold, end := context.WithTimeout(context.Background(), maxHold)
	c.over.Store(hold.Done())
	return end
}

// wait returns a channel that is closed when output may pass.
func (c *outputGate) wait() <-chan struct{} { return c.over.Load().(<-chan struct{}) }
