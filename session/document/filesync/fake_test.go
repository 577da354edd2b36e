package filesync

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest/fakeroom"
	"github.com/nbduet/nbduet/ydoc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// fakeDocument is a notebook in a fake room, in use by a call, with its saver. It has no file on a server.
type fakeDocument struct {
	*Saver
	t    *testing.T
	room *fakeroom.Room
	nb   *ydoc.Notebook

	stop context.CancelFunc
	wg   sync.WaitGroup

	mu   sync.Mutex
	last time.Time
	busy bool
}

// newFakeDocument opens it; call leave at the end.
func newFakeDocument(t *testing.T) *fakeDocument {
	t.Helper()
	d := &fakeDocument{t: t, room: fakeroom.New(), nb: ydoc.NewNotebook(), busy: true}
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	d.Saver = New(ctx, d, nil, &Silence{}, slog.New(slog.DiscardHandler))
	d.wg.Go(d.Run)
	return d
}

// leave ends the saver and leaves the room.
func (d *fakeDocument) leave() {
	d.t.Helper()
	d.stop()
	d.wg.Wait()
	if err := d.Leave(d.t.Context(), d.Joined()); err != nil {
		d.t.Error(err)
	}
}

func (d *fakeDocument) Path() jupyter.Path                  { return jupyter.MustPath("a.ipynb") }
func (d *fakeDocument) Joined() Joined                      { return Joined{Room: d.room, Notebook: d.nb} }
func (d *fakeDocument) Follow(context.Context, string) bool { return false }

func (d *fakeDocument) LastUse() (time.Time, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last, d.busy
}

// use begins or ends the call that uses the document.
func (d *fakeDocument) use(busy bool) {
	d.mu.Lock()
	d.busy, d.last = busy, time.Now()
	d.mu.Unlock()
	if !busy {
		d.Unused()
	}
}

// edit makes a confirmed edit.
func (d *fakeDocument) edit() {
	d.t.Helper()
	if err := d.nb.Edit("insert", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "x"})
		return err
	}); err != nil {
		d.t.Fatal(err)
	}
	d.Edited(Joined{}, nil)
	d.Want()
}
