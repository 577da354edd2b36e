package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// ErrNotNotebook is matched by the error of opening something that is there but
// is not a notebook.
var ErrNotNotebook = errors.New("not a notebook")

// room is what a document needs of an rtc.Room.
type room interface {
	ID() string
	FileID() string
	SessionID() string
	State() rtc.State
	Barrier(ctx context.Context) error
	Save(ctx context.Context) (string, error)
	Leave(ctx context.Context) error
	Peers() []rtc.Peer
	SetCursors(cursors ...awareness.Cursor)
	AutosaveOff() bool
	Rename(path string)
	Done() <-chan struct{}
	Err() error
}

// joinFunc enters the room of a path, with an empty replica.
type joinFunc func(ctx context.Context, path string) (room, *ydoc.Notebook, error)

// joinRoom is the joinFunc of a real server.
func (m *Manager) joinRoom(ctx context.Context, path string) (room, *ydoc.Notebook, error) {
	nb := ydoc.NewNotebook()
	r, err := rtc.Join(ctx, rtc.Config{
		Server: m.cfg.Server, Path: path, Format: "json", Type: "notebook",
		Replica: nb.Doc, User: m.user, Logger: m.log, Timing: m.cfg.Timing,
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
	if err != nil {
		return nil, nil, err
	}
	return r, nb, nil
}

// entry is a place in the map of open documents: one that is being joined, is
// open, or is being left.
type entry struct {
	path  string
	ready chan struct{} // closed when doc or err is set
	doc   *Document
	err   error
	gone  chan struct{} // closed when the room has been left
	going bool          // under Manager.mu: being left
}

// Open returns the open document of a notebook, joining its room if need be.
// Calls that open the same notebook at once join it once. The document is
// pinned, which keeps it from being evicted, until its Release is called.
//
// The path may have a leading slash. The error is a *jupyter.Error for what
// the server says (errors.Is with jupyter.ErrNotFound and its like), and
// matches ErrNotNotebook for a path that is something else.
func (m *Manager) Open(ctx context.Context, path string) (*Document, error) {
	clean, err := jupyter.CleanPath(path)
	if err != nil {
		return nil, err
	}
	for {
		e, mine, err := m.enter(clean)
		if err != nil {
			return nil, err
		}
		if mine {
			m.wg.Go(func() { m.fill(e) })
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return nil, fmt.Errorf("open %s: %w", clean, ctx.Err())
		}
		if e.err != nil {
			return nil, fmt.Errorf("open %s: %w", clean, e.err)
		}
		if m.pin(e) {
			if err := e.doc.exists(ctx); err != nil {
				e.doc.Release()
				return nil, fmt.Errorf("open %s: %w", clean, err)
			}
			return e.doc, nil
		}
		// It is being left: wait for the end of that, then join afresh.
		select {
		case <-e.gone:
		case <-ctx.Done():
			return nil, fmt.Errorf("open %s: wait until the last session has ended: %w", clean, ctx.Err())
		}
	}
}

// enter finds the entry of a path, or makes one for the caller to fill.
func (m *Manager) enter(path string) (e *entry, mine bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, false, ErrClosed
	}
	if e, ok := m.open[path]; ok {
		return e, false, nil
	}
	e = &entry{path: path, ready: make(chan struct{}), gone: make(chan struct{})}
	m.open[path] = e
	return e, true, nil
}

// fill joins the room for an entry. It is bound to the manager, not to the call
// that happened to be first: others may be waiting for it as well.
func (m *Manager) fill(e *entry) {
	defer close(e.ready)
	doc, err := m.openDocument(m.ctx, e.path)
	m.mu.Lock()
	if err == nil && m.closed {
		err = ErrClosed
	}
	if err != nil {
		e.err = err
		delete(m.open, e.path)
		close(e.gone)
		m.mu.Unlock()
		if doc != nil {
			// Nothing was written yet; there is nothing to report.
			_ = doc.close(m.ctx)
		}
		return
	}
	e.doc = doc
	m.ended.Remove(e.path)
	m.mu.Unlock()
	doc.start(e)
	m.lobby.opened(doc.Path())
	m.makeRoom(e)
	m.nudge()
}

// pin takes a hold on an entry's document, unless it is being left.
func (m *Manager) pin(e *entry) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.going || m.open[e.path] != e {
		return false
	}
	e.doc.use(1)
	return true
}

// exists looks again for a file that was gone when last looked for. A room
// without a file takes edits all the same, and writes them nowhere; so a
// document whose file stays gone is put away.
func (d *Document) exists(ctx context.Context) error {
	if !d.file.lost() {
		return nil
	}
	_, err := d.m.cfg.Server.Contents(ctx, d.Path(), jupyter.ContentsOptions{})
	if errors.Is(err, jupyter.ErrNotFound) {
		d.m.drop(d.entry, "its file is gone")
		return err
	}
	return nil // what else may be wrong comes out when it is used
}

// openDocument looks whether the path is a notebook and joins its room. The
// look comes first because the server makes a room for any path at all.
func (m *Manager) openDocument(ctx context.Context, path string) (*Document, error) {
	var c jupyter.Content
	if m.cfg.Server != nil {
		var err error
		if c, err = m.cfg.Server.Contents(ctx, path, jupyter.ContentsOptions{}); err != nil {
			return nil, err
		}
		if c.Type != "notebook" {
			return nil, fmt.Errorf("%w: it is a %s; name a file that ends in .ipynb", ErrNotNotebook, c.Type)
		}
		path = c.Path
	}
	r, nb, err := m.join(ctx, path)
	if err != nil {
		return nil, err
	}
	d := newDocument(m, path, r, nb)
	if m.cfg.Server != nil {
		d.file.saw(c, nb)
	}
	return d, nil
}
