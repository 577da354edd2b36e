package rooms

import (
	"sync"
	"time"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// faults is what is to go wrong.
type faults struct {
	mu sync.Mutex
	// So often yet, on each path.
	dropAfter, dropBefore, dropAtJoin, dropAtSync, dropAtSave map[string]int
	gaps                                                      map[string]bool // by path, until undone
	// Until undone.
	unwritten, failing, hold, late, mute bool
	old                                  int // the version of jupyter-collaboration, where it is 2 or 3
	slow, slowRead                       time.Duration
}

// arm has a fault happen n times more on a path.
func (f *faults) arm(fault *map[string]int, path string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *fault == nil {
		*fault = map[string]int{}
	}
	(*fault)[path] += n
}

// spend reports whether a fault is to happen now on a path, once less from now on.
func (f *faults) spend(fault *map[string]int, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if (*fault)[path] == 0 {
		return false
	}
	(*fault)[path]--
	return true
}

func (f *faults) set(fault *bool, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*fault = on
}

func (f *faults) is(fault *bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *fault
}

func (f *faults) muted() bool      { return f.is(&f.mute) }
func (f *faults) holding() bool    { return f.is(&f.hold) }
func (f *faults) failsSaves() bool { return f.is(&f.failing) }

func (f *faults) saves() (unwritten bool, slow time.Duration, failing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unwritten, f.slow, f.failing
}

// DropAfterUpdate cuts a connection right after the next update of a client has been applied, before that client is
// told anything more. The others are sent the update. path is that of a file, or the name of a room in memory; so for
// all methods.
func (t *Table) DropAfterUpdate(path string) { t.faults.arm(&t.faults.dropAfter, path, 1) }

// DropBeforeUpdate cuts a connection when the next update comes over it, which is not applied. What a client sends as
// SYNC2 does not count.
func (t *Table) DropBeforeUpdate(path string) { t.faults.arm(&t.faults.dropBefore, path, 1) }

// DropAtJoin cuts the next n connections right after they are made, before the server's SYNC1.
func (t *Table) DropAtJoin(path string, n int) { t.faults.arm(&t.faults.dropAtJoin, path, n) }

// DropAtSync cuts the next n connections right after the first SYNC2 to the client. The server's own SYNC1 has then not
// been sent.
func (t *Table) DropAtSync(path string, n int) { t.faults.arm(&t.faults.dropAtSync, path, n) }

// DropAtSave cuts the next n connections over which a save is asked for, which is not done.
func (t *Table) DropAtSave(path string, n int) { t.faults.arm(&t.faults.dropAtSave, path, n) }

// SaveWithoutWriting has saves succeed and write nothing, until switched off. The state does not change either.
func (t *Table) SaveWithoutWriting(on bool) { t.faults.set(&t.faults.unwritten, on) }

// FailSaves has saves write nothing, and those that are asked for be answered with "failed", until switched off.
func (t *Table) FailSaves(on bool) { t.faults.set(&t.faults.failing, on) }

// Old has the rooms be those of jupyter-collaboration 2 or 3: these ignore requests to save, and people's wish that
// nothing is saved by itself; 2 puts no hash of the file into the state either.
func (t *Table) Old(version int) {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	t.faults.old = version
}

func (f *faults) version() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.old
}

// SlowSave has each save take so much longer, until set to zero. The file is written at the end of that; a change that
// comes before has nobody told of it.
func (t *Table) SlowSave(d time.Duration) {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	t.faults.slow = d
}

// SlowRead has each save take so much longer before it has the content of the document, until set to zero. A change that
// comes meanwhile breaks the save off: nothing is written, though the client is told that it was.
func (t *Table) SlowRead(d time.Duration) {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	t.faults.slowRead = d
}

func (f *faults) slowReads() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.slowRead
}

// HoldSync has SYNC1 stay without its answer, until switched off: then it is answered.
func (t *Table) HoldSync(on bool) {
	t.faults.set(&t.faults.hold, on)
	if on {
		return
	}
	for _, r := range t.where(func(*room) bool { return true }) {
		r.do(func() {
			held := r.held
			r.held = nil
			for _, answer := range held {
				answer()
			}
		})
	}
}

// HoldUpdates has updates that are applied not be passed on, until switched off: then they are, in their order. SYNC1 is
// answered meanwhile.
func (t *Table) HoldUpdates(on bool) {
	t.faults.set(&t.faults.late, on)
	for _, r := range t.where(func(*room) bool { return true }) {
		r.do(func() {}) // it settles
	}
}

// Mute has the server say nothing more, not even answer a ping, until switched off. Connections stay, what clients send
// is taken in, and what they would have been sent meanwhile is lost.
func (t *Table) Mute(on bool) { t.faults.set(&t.faults.mute, on) }

// Gap has a room lack the beginning of what built its document, until switched off: what its clients are sent of it is
// the rest, which builds on that. The server itself reads and writes all of it.
func (t *Table) Gap(path string, on bool) {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	if t.faults.gaps == nil {
		t.faults.gaps = map[string]bool{}
	}
	t.faults.gaps[path] = on
}

func (f *faults) gap(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gaps[path]
}

// Conflict tells all clients of a document, now, that an update did not fit.
func (t *Table) Conflict(path string) {
	t.Send(path, wire.AppendRaw(nil, `{"type": "conflict"}`))
}

// Send sends a frame to all clients of a document, now.
func (t *Table) Send(path string, frame []byte) {
	for _, r := range t.at(path) {
		r.do(func() { r.broadcast(frame) })
	}
}

// ForgetHistory ends the rooms on a path as [Table.Evict] does, and drops their history: who joins next is in a room
// that is built from the file.
func (t *Table) ForgetHistory(path string) {
	t.Evict(path)
	if t.cfg.Files == nil {
		return
	}
	t.cfg.Store.forget(func(fileID string) bool { return t.isAt(fileID, path) })
}

// Evict ends the rooms on a path, now, without saving, and cuts their connections. Their history stays.
func (t *Table) Evict(path string) {
	for _, r := range t.at(path) {
		if r.do(func() { r.ended = true }) {
			<-r.done
		}
	}
}

// Restart ends all rooms and connections, as a server's end does: what no save has begun to write is lost. Their
// histories stay.
func (t *Table) Restart() {
	for _, r := range t.where(func(*room) bool { return true }) {
		if r.do(func() { r.ended = true }) {
			<-r.done
		}
	}
	t.DropAll()
}

// DropAll cuts all connections, now, without a close frame.
func (t *Table) DropAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s := range t.sockets {
		s.cut()
	}
}

// Drop cuts all connections to a document, now, without a close frame.
func (t *Table) Drop(path string) {
	for _, r := range t.at(path) {
		r.do(func() {
			for len(r.clients) > 0 {
				r.drop(r.clients[0])
			}
		})
	}
}
