package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/lobby"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// fakeRoom stands for a room where only time and faults are the subject. It confirms everything at once, until it is
// told to end.
type fakeRoom struct {
	autosaveOff atomic.Bool
	saves       atomic.Int32
	left        atomic.Bool
	leaveTakes  atomic.Int64 // a time.Duration
	saveTakes   atomic.Int64 // likewise
	silent      atomic.Bool  // confirms nothing

	once sync.Once
	done chan struct{}
	mu   sync.Mutex
	err  error
}

func newFakeRoom() *fakeRoom { return &fakeRoom{done: make(chan struct{})} }

func (f *fakeRoom) ID() string                     { return "json:notebook:file" }
func (f *fakeRoom) FileID() string                 { return "file" }
func (f *fakeRoom) SessionID() string              { return "session" }
func (f *fakeRoom) Peers() []rtc.Peer              { return nil }
func (f *fakeRoom) SetCursors(...awareness.Cursor) {}
func (f *fakeRoom) Rename(string)                  {}
func (f *fakeRoom) AutosaveOff() bool              { return f.autosaveOff.Load() }
func (f *fakeRoom) LostAt() time.Time              { return time.Time{} }
func (f *fakeRoom) Quiet() time.Duration           { return 0 }
func (f *fakeRoom) Done() <-chan struct{}          { return f.done }

func (f *fakeRoom) Barrier(ctx context.Context) error {
	if f.silent.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return f.Err()
}

func (f *fakeRoom) WaitSynced(context.Context) error { return f.Err() }

func (f *fakeRoom) State() rtc.State {
	if f.Err() != nil {
		return rtc.Closed
	}
	return rtc.Synced
}

func (f *fakeRoom) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fakeRoom) Save(context.Context) (string, error) {
	f.saves.Add(1)
	time.Sleep(time.Duration(f.saveTakes.Load()))
	return "success", nil
}

func (f *fakeRoom) Leave(ctx context.Context) error {
	err := f.LastSave(ctx)
	f.Depart(ctx)
	return err
}

func (f *fakeRoom) LastSave(context.Context) error {
	f.saves.Add(1)
	return nil
}

func (f *fakeRoom) Depart(ctx context.Context) {
	select {
	case <-time.After(time.Duration(f.leaveTakes.Load())):
	case <-ctx.Done():
	}
	f.left.Store(true)
	f.end(&rtc.CloseError{Code: rtc.CodeLeft, Action: rtc.GiveUp})
}

// end makes the room end with an error.
func (f *fakeRoom) end(err error) {
	f.once.Do(func() {
		f.mu.Lock()
		f.err = err
		f.mu.Unlock()
		close(f.done)
	})
}

// fakeLobby records what the people would see.
type fakeLobby struct {
	mu      sync.Mutex
	entered int
	current string
	docs    []string
	left    int
}

func (l *fakeLobby) Show(current string, docs []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current, l.docs = current, docs
}

func (l *fakeLobby) Leave(context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left++
	l.current, l.docs = "", nil
}

// fakeWorld is a manager whose rooms are fakes.
type fakeWorld struct {
	*Manager
	lobby *fakeLobby
	mu    sync.Mutex
	rooms []*fakeRoom
	joins map[string]int
	delay time.Duration
	fail  error
}

func newFakeWorld(t *testing.T, cfg Config) *fakeWorld {
	t.Helper()
	if cfg.IdleTimeout == 0 {
		cfg.IdleTimeout = DefaultIdleTimeout
	}
	if cfg.MaxRooms == 0 {
		cfg.MaxRooms = DefaultMaxRooms
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	w := &fakeWorld{Manager: newManager(cfg), lobby: &fakeLobby{}, joins: make(map[string]int)}
	w.Manager.lobby = lobby.New(func() lobby.Lobby {
		w.lobby.entered++
		return w.lobby
	})
	w.join = func(ctx context.Context, path string, k kind, _ func()) (*live, error) {
		select {
		case <-time.After(w.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.joins[path]++
		if w.fail != nil {
			return nil, w.fail
		}
		r := newFakeRoom()
		w.rooms = append(w.rooms, r)
		if k == textKind {
			return newTextLive(r, ydoc.NewText()), nil
		}
		return newLive(r, ydoc.NewNotebook()), nil
	}
	w.start()
	return w
}

func (w *fakeWorld) joined(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.joins[path]
}

func (w *fakeWorld) room(i int) *fakeRoom {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rooms[i]
}

func (w *fakeWorld) mustOpen(t *testing.T, path string) *Document {
	t.Helper()
	d, err := w.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return d
}

func (w *fakeWorld) status(t *testing.T, path string) Info {
	t.Helper()
	infos, err := w.Sessions("")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		if i.Path == path {
			return i
		}
	}
	return Info{}
}
