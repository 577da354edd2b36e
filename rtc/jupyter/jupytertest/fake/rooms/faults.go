package rooms

import (
	"sync"
	"time"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// faults are the active faults.
type faults struct {
	mu sync.Mutex
	// Remaining occurrences, by path.
	dropAfter, dropBefore, dropAtJoin, dropAtSync, dropAtSave map[string]int
	gaps                                                      map[string]bool // by path, until switched off
	// Until switched off.
	unwritten, failing, hold, late, mute bool
	old                                  int // the version of jupyter-collaboration, if it is 2 or 3
	slow, slowRead                       time.Duration
}

// arm makes a fault occur n more times on a path.
func (f *faults) arm(fault *map[string]int, path string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *fault == nil {
		*fault = map[string]int{}
	}
	(*fault)[path] += n
}

// spend reports whether a fault occurs now on a path, and counts it.
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

// DropAfterUpdate cuts a connection right after the next update of a client has been applied, before anything more is
// sent to that client. The others get the update. path is that of a file, or the name of a room in memory; this holds
// for all methods.
func (t *Table) DropAfterUpdate(path string) { t.faults.arm(&t.faults.dropAfter, path, 1) }

// DropBeforeUpdate cuts a connection when the next update arrives on it; the update is not applied. A client's SYNC2
// does not count.
func (t *Table) DropBeforeUpdate(path string) { t.faults.arm(&t.faults.dropBefore, path, 1) }

// DropAtJoin cuts the next n connections right after they are made, before the server's SYNC1.
func (t *Table) DropAtJoin(path string, n int) { t.faults.arm(&t.faults.dropAtJoin, path, n) }

// DropAtSync cuts the next n connections right after the first SYNC2 to the client, before the server's own SYNC1.
func (t *Table) DropAtSync(path string, n int) { t.faults.arm(&t.faults.dropAtSync, path, n) }

// DropAtSave cuts the next n connections that request a save; the save is not done.
func (t *Table) DropAtSave(path string, n int) { t.faults.arm(&t.faults.dropAtSave, path, n) }

// SaveWithoutWriting makes saves succeed without writing, until switched off. The state does not change either.
func (t *Table) SaveWithoutWriting(on bool) { t.faults.set(&t.faults.unwritten, on) }

// FailSaves makes saves write nothing, and save requests get "failed", until switched off.
func (t *Table) FailSaves(on bool) { t.faults.set(&t.faults.failing, on) }

// Old makes the rooms behave like those of jupyter-collaboration 2 or 3: they ignore save requests, and the people's
// setting that autosave is off; version 2 also omits the file's hash from the state.
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

// SlowSave makes each save take d longer, until set to zero. The file is written at the end of that time; if a change
// comes before, no client is notified of the save.
func (t *Table) SlowSave(d time.Duration) {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	t.faults.slow = d
}

// SlowRead makes each save take d longer before it reads the document, until set to zero. A change meanwhile cancels
// the save: nothing is written, although the client is notified of success.
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

// HoldSync delays the answers to SYNC1 until switched off.
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

// HoldUpdates delays passing on applied updates until switched off; then they are sent in order. SYNC1 is still
// answered.
func (t *Table) HoldUpdates(on bool) {
	t.faults.set(&t.faults.late, on)
	for _, r := range t.where(func(*room) bool { return true }) {
		r.do(func() {}) // the room settles after it
	}
}

// Mute makes the server send nothing, not even a pong, until switched off. Connections stay, clients' frames are
// accepted, and the frames for clients are lost.
func (t *Table) Mute(on bool) { t.faults.set(&t.faults.mute, on) }

// Gap withholds the first updates of a room's document from its clients, until switched off: they get the rest, which
// depends on these. The server itself reads and writes all of it.
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

// Conflict notifies all clients of a document, now, of a conflicting update.
func (t *Table) Conflict(path string) {
	t.Send(path, wire.AppendRaw(nil, `{"type": "conflict"}`))
}

// Send sends a frame to all clients of a document, now.
func (t *Table) Send(path string, frame []byte) {
	for _, r := range t.at(path) {
		r.do(func() { r.broadcast(frame) })
	}
}

// ForgetHistory ends the rooms on a path as [Table.Evict] does, and drops their history: the next client gets a room
// built from the file.
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

// Restart ends all rooms and connections, like the end of a server: changes that no save has begun to write are lost.
// The histories stay.
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
