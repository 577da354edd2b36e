package session

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/collab/globalawareness"
	"github.com/nbduet/nbduet/session/sessiontest/fakeroom"
	"github.com/nbduet/nbduet/ydoc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// fakeLobby records the state that people would see.
type fakeLobby struct {
	mu      sync.Mutex
	entered int
	shown   []rtc.Visitor
	left    int
}

func (l *fakeLobby) Show(visitors ...rtc.Visitor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = visitors
}

func (l *fakeLobby) Leave(context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left++
	l.shown = nil
}

func (l *fakeLobby) Peers() []rtc.Peer { return nil }
func (l *fakeLobby) Since() time.Time  { return time.Time{} }

// fakeWorld is a manager whose rooms are fakes.
type fakeWorld struct {
	*Manager
	lobby *fakeLobby
	mu    sync.Mutex
	rooms []*fakeroom.Room
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
	w.Manager.Presence.lobby = globalawareness.New(func() globalawareness.Lobby {
		w.lobby.entered++
		return w.lobby
	})
	w.join = func(ctx context.Context, path jupyter.Path, k kind, _ int, _ func()) (*live, error) {
		select {
		case <-time.After(w.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.joins[path.String()]++
		if w.fail != nil {
			return nil, w.fail
		}
		r := fakeroom.New()
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

func (w *fakeWorld) room(i int) *fakeroom.Room {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rooms[i]
}

func (w *fakeWorld) mustOpen(t *testing.T, path string) *Document {
	t.Helper()
	d, err := w.Open(t.Context(), jupyter.MustPath(path))
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return d
}

func (w *fakeWorld) status(t *testing.T, path string) Info {
	t.Helper()
	infos := w.Sessions(jupyter.Path{})
	for _, i := range infos {
		if i.Path.String() == path {
			return i
		}
	}
	return Info{}
}
