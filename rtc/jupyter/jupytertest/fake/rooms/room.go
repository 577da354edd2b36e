package rooms

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/ydocs"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// room is one room: a document of a file, or one in memory.
type room struct {
	t                   *Table
	id                  string
	format, typ, fileID string
	file                *file // nil for a room in memory
	second              bool  // another room on the file existed before
	inbox               chan func()
	done                chan struct{} // closed when the room has ended

	// The fields below belong to the room's goroutine.
	record  *record
	doc     *ydocs.Document
	fresh   [][]byte // updates that were not passed on yet
	late    [][]byte // frames that are held back
	changed bool     // the readable part of the document was written to
	locked  bool     // changes are the server's own, and are not saved
	ready   bool     // the document is loaded
	loading []func() error
	people  *presence
	clients []*client
	held    []func() // delayed answers to SYNC1
	saving  *save
	ended   bool

	debounce, cleaner, progress *time.Timer
}

func newRoom(t *Table, id string) *room {
	return &room{t: t, id: id, inbox: make(chan func()), done: make(chan struct{})}
}

// key returns the id under which an ended room is known: its file's id, or its own.
func (r *room) key() string {
	if r.file == nil {
		return r.id
	}
	return r.fileID
}

// path returns the path of the room's file, "" if the file is gone; the id of a room in memory.
func (r *room) path() string {
	if r.file == nil {
		return r.id
	}
	path, _ := r.t.cfg.Files.Path(r.fileID)
	return path
}

// do makes the room's goroutine run f, and returns when that begins. It returns false if the room has ended. The
// room's goroutine itself must not call it.
func (r *room) do(f func()) bool {
	select {
	case r.inbox <- f:
		return true
	case <-r.done:
		return false
	}
}

// run is the room's goroutine.
func (r *room) run() {
	defer r.end()
	if r.file != nil {
		r.record = r.t.cfg.Store.record(r.typ, r.fileID)
	} else {
		r.record, r.ready = &record{}, true
	}
	r.doc = r.newDocument()
	r.people = newPresence(r.doc.ClientID(), time.Now())
	if r.second {
		r.emit("WARNING", "", "There is another collaborative session accessing the same file.\n"+
			"The synchronization between rooms is not supported and you might lose some of your changes.")
	}
	r.debounce, r.cleaner, r.progress = idleTimer(), idleTimer(), idleTimer()
	watch := time.NewTicker(watchInterval)
	defer watch.Stop()
	for !r.ended {
		select {
		case f := <-r.inbox:
			f()
		case <-r.debounce.C:
			r.runSave(r.saving)
		case now := <-watch.C:
			r.watchPeople(now)
		case <-r.progress.C:
			r.loadMore()
		case <-r.cleaner.C:
			r.clean()
		case <-r.t.quit:
			return
		}
		r.settle()
	}
}

// idleTimer returns a stopped timer.
func idleTimer() *time.Timer {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return timer
}

// end ends the room: pending saves are lost.
func (r *room) end() {
	if r.saving != nil {
		r.saving.breakOff()
	}
	r.debounce.Stop()
	r.cleaner.Stop()
	r.progress.Stop()
	for _, c := range r.clients {
		c.cut()
	}
	r.t.remove(r)
	close(r.done)
}

// newDocument makes an empty document that notifies the room of changes.
func (r *room) newDocument() *ydocs.Document {
	o := ydocs.Options{
		Chats:   r.t.cfg.Chat,
		Update:  func(u []byte) { r.fresh = append(r.fresh, u) },
		Changed: func() { r.changed = true },
	}
	if r.file == nil {
		return ydocs.NewTransient(o)
	}
	return ydocs.New(r.typ, o)
}

// settle passes on changes, and schedules their save.
func (r *room) settle() {
	for again := true; again; again = r.ready && r.doc.Act() {
		for _, u := range r.fresh {
			r.record.add(u)
			r.late = append(r.late, wire.AppendUpdate(nil, u))
		}
		r.fresh = nil
	}
	if !r.t.faults.is(&r.t.faults.late) {
		for _, frame := range r.late {
			r.broadcast(frame)
		}
		r.late = nil
	}
	if r.changed {
		r.changed = false
		if !r.locked {
			r.autosave()
		}
	}
}

// quietly runs f, whose changes are not saved.
func (r *room) quietly(f func()) {
	was := r.locked
	r.locked = true
	f()
	r.settle()
	r.locked = was
}

func (r *room) broadcast(frame []byte) {
	for _, c := range r.clients {
		c.send(frame)
	}
}

// join adds a client. It first loads the document if necessary. It returns false if the room has ended.
func (r *room) join(c *client) bool {
	return r.do(func() {
		r.cleaner.Stop()
		if err := r.load(); err != nil {
			r.refuse(c, err)
			return
		}
		r.emitAwareness(c, "join")
		if r.file != nil {
			r.emit("INFO", "initialize", "New client connected.")
		}
		path := r.path()
		if r.t.faults.spend(&r.t.faults.dropAtJoin, path) {
			c.cut()
			return
		}
		r.clients = append(r.clients, c)
		if c.half = r.t.faults.spend(&r.t.faults.dropAtSync, path); c.half {
			return
		}
		if sv, err := r.doc.StateVector(); err == nil {
			c.send(wire.AppendSyncStep1(nil, sv))
		}
	})
}

// leave removes a client. A file's room ends some time after the last client has left.
func (r *room) leave(c *client) {
	i := slices.Index(r.clients, c)
	if i < 0 {
		return
	}
	r.clients = slices.Delete(r.clients, i, i+1)
	if delay := r.t.cfg.CleanupDelay; len(r.clients) == 0 && r.file != nil && delay >= 0 {
		r.cleaner.Reset(delay)
	}
	r.emitAwareness(c, "leave")
}

// drop cuts a client's connection.
func (r *room) drop(c *client) {
	c.cut()
	r.leave(c)
}

// clean ends the room of a file.
func (r *room) clean() {
	r.ended = true
	last := r.t.remove(r)
	r.emit("INFO", "clean", "Room deleted.")
	if last {
		r.emit("INFO", "clean", "Loader deleted.")
	}
}

// emit emits an event of the document.
func (r *room) emit(level, action, msg string) {
	data := map[string]any{"level": level, "room": r.id, "path": nil, "msg": msg}
	if path := r.path(); path != "" {
		data["path"] = path
	}
	if action != "" {
		data["action"] = action
	}
	r.t.cfg.Emit(SessionSchema, data)
}

// globalAwareness is the room whose joins and departures are not emitted.
const globalAwareness = "JupyterLab:globalAwareness"

func (r *room) emitAwareness(c *client, action string) {
	if r.id != globalAwareness {
		r.t.cfg.Emit(AwarenessSchema, map[string]any{"roomid": r.id, "username": c.username, "action": action})
	}
}

// quote encodes a string as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // strings can always be encoded
	}
	return string(b)
}
