package rooms

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Table holds the rooms of one server.
type Table struct {
	cfg    Config
	quit   chan struct{} // closed by Close
	wg     sync.WaitGroup
	faults faults
	gaps   atomic.Int64

	mu      sync.Mutex
	closed  bool
	rooms   map[string]*room
	files   map[string]*file     // by id
	sockets map[*socket]struct{} // connected
	joined  map[string][]*socket // all ever connected, by file id, or by room id for rooms in memory
}

// New makes a table without rooms. The caller must close it.
func New(cfg Config) *Table {
	return &Table{
		cfg: cfg.orDefaults(), quit: make(chan struct{}),
		rooms: map[string]*room{}, files: map[string]*file{}, sockets: map[*socket]struct{}{}, joined: map[string][]*socket{},
	}
}

// Close stops the rooms like the end of a server: connections end without a close frame, and changes that no save has
// begun to write are lost. It returns when all goroutines have ended, and may be called again.
func (t *Table) Close() {
	t.mu.Lock()
	if !t.closed {
		t.closed = true
		close(t.quit)
	}
	t.mu.Unlock()
	t.DropAll()
	t.wg.Wait()
}

// enter counts a goroutine that Close waits for, unless the table is closed.
func (t *Table) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.wg.Add(1)
	}
	return !t.closed
}

// spawn runs f in a goroutine that Close waits for, unless the table is closed.
func (t *Table) spawn(f func()) {
	if t.enter() {
		go func() {
			defer t.wg.Done()
			f()
		}()
	}
}

// Open reports whether a room is in memory.
func (t *Table) Open(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rooms[id] != nil
}

// room returns the room with an id, and creates it if necessary. A file must have the id in the room's name.
func (t *Table) room(id string) (*room, error) {
	if r := t.present(id); r != nil {
		return r, nil
	}
	parts := strings.SplitN(id, ":", 3)
	if len(parts) == 3 {
		if t.cfg.Files == nil {
			return nil, fmt.Errorf("room %q: there are no files", id)
		}
		if _, ok := t.cfg.Files.Path(parts[2]); !ok {
			return nil, fmt.Errorf("room %q: there is no file with that id", id)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, fmt.Errorf("room %q: the server is stopped", id)
	}
	if r := t.rooms[id]; r != nil {
		return r, nil
	}
	r := newRoom(t, id)
	if len(parts) == 3 {
		r.format, r.typ, r.fileID = parts[0], parts[1], parts[2]
		r.file = t.files[r.fileID]
		if r.file == nil {
			r.file = newFile(t, r.fileID)
			t.files[r.fileID] = r.file
			t.wg.Go(r.file.watch)
		} else {
			r.second = true
		}
		r.file.rooms++
	}
	t.rooms[id] = r
	t.wg.Go(r.run)
	return r, nil
}

func (t *Table) present(id string) *room {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rooms[id]
}

// remove removes a room, and its file with the file's last room. It reports whether it was the last.
func (t *Table) remove(r *room) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rooms[r.id] != r {
		return false
	}
	delete(t.rooms, r.id)
	if r.file == nil {
		return false
	}
	if r.file.rooms--; r.file.rooms > 0 {
		return false
	}
	delete(t.files, r.fileID)
	close(r.file.quit)
	return true
}

// where lists the rooms for which f returns true.
func (t *Table) where(f func(r *room) bool) (list []*room) {
	t.mu.Lock()
	for _, r := range t.rooms {
		list = append(list, r)
	}
	t.mu.Unlock()
	return slices.DeleteFunc(list, func(r *room) bool { return !f(r) })
}

// at lists the rooms on a path; the path of a room in memory is its id.
func (t *Table) at(path string) []*room {
	return t.where(func(r *room) bool { return r.path() == path })
}
