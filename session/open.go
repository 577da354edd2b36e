package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/waitbudget"
	"github.com/nbduet/nbduet/session/document/refusedrooms"
	"github.com/nbduet/nbduet/session/origin"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Open returns the open document of a notebook, and joins its room if needed. Concurrent calls for the same notebook join
// its room once. The document is pinned, and so not evicted, until its Release is called.
//
// The server's errors are *jupyter.Error (use errors.Is with jupyter.ErrNotFound and so on); the error matches
// ErrNotNotebook if the path is not a notebook.
func (m *Manager) Open(ctx context.Context, path jupyter.Path) (*Document, error) {
	return m.openKind(ctx, path, notebookKind)
}

func (m *Manager) openKind(ctx context.Context, path jupyter.Path, k kind) (*Document, error) {
	p := waitbudget.Of(ctx)
	for again := true; ; {
		if p != nil && !m.has(path) { // an open document can be read as it was
			if away := p.ServerMissing(ctx); away != nil {
				return nil, notOpened(path, away)
			}
		}
		e, mine, err := m.enter(path, k)
		if err != nil {
			return nil, err
		}
		if mine {
			m.wg.Go(func() { m.fill(e) })
		}
		if err := e.waitOpened(ctx, p); err != nil {
			return nil, notOpened(path, err)
		}
		if e.err != nil && !mine && again && p != nil && outage(e.err) {
			again = false // it began while the server was away, but the server is back
			continue
		}
		if e.err != nil {
			return nil, fmt.Errorf("open %s: %w", path, e.err)
		}
		if e.kind != k {
			_, typ := e.kind.room()
			return nil, fmt.Errorf("open %s: %w", path, k.fits(typ))
		}
		if m.pin(e) {
			if e.doc.current().gap.old() {
				// The room may have been repaired, and the file may have changed.
				e.doc.Release()
				if err := m.putAway(ctx, e, "it is opened again"); err != nil {
					return nil, fmt.Errorf("open %s: %w", path, err)
				}
				continue
			}
			if err := e.doc.usable(ctx); err != nil {
				e.doc.Release()
				return nil, notOpened(path, err)
			}
			e.doc.seats.Enter(origin.Of(ctx).Client)
			return e.doc, nil
		}
		// It is being left: wait for that to end, then join again.
		if err := e.waitGone(ctx, p); err != nil {
			return nil, fmt.Errorf("open %s: wait until its last session has ended: %w", path, err)
		}
	}
}

// outage reports whether an error means that the server did not answer.
func outage(err error) bool {
	return errors.Is(err, jupyter.ErrUnreachable) || errors.Is(err, context.DeadlineExceeded)
}

// notOpened returns the error of an open that waited in vain.
func notOpened(path jupyter.Path, err error) error {
	if errors.As(err, new(*waitbudget.AwayError)) {
		return fmt.Errorf("open %s: nothing was done: %w", path, err)
	}
	return fmt.Errorf("open %s: %w", path, err)
}

// waitOpened waits within a call's wait budget until the document is open.
func (e *entry) waitOpened(ctx context.Context, p *waitbudget.Budget) error {
	if p == nil {
		return wait(ctx, e.ready)
	}
	return p.WaitOpened(ctx, e.path, &e.Opening, e.ready)
}

// waitGone waits within a call's wait budget until the document has been left.
func (e *entry) waitGone(ctx context.Context, p *waitbudget.Budget) error {
	if p == nil {
		return wait(ctx, e.gone)
	}
	return p.Wait(ctx, func(ctx context.Context) error { return wait(ctx, e.gone) })
}

// usable waits until the document can be read, and checks again for a file that was missing.
func (d *Document) usable(ctx context.Context) error {
	if err := d.await(ctx); err != nil {
		return err
	}
	return d.exists(ctx)
}

// has reports whether a document is open, or is being opened or left.
func (m *Manager) has(path jupyter.Path) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open[path] != nil
}

// enter finds the entry of a path, or makes one for the caller to fill.
func (m *Manager) enter(path jupyter.Path, k kind) (e *entry, mine bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, false, ErrClosed
	}
	if e, ok := m.open[path]; ok {
		return e, false, nil
	}
	e = &entry{path: path, kind: k, ready: make(chan struct{}), gone: make(chan struct{}), Opening: waitbudget.Opening{Began: time.Now()}}
	m.open[path] = e
	return e, true, nil
}

// fill joins the room for an entry. It is bound to the manager, not to the first call, because other calls may wait for
// it too.
func (m *Manager) fill(e *entry) {
	defer close(e.ready)
	doc, err := m.openDocument(jupyter.WithLimit(m.ctx, openFor), e.path, e.kind, e.Progress)
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
	e.doc, doc.entry = doc, e
	m.ended.Remove(e.path)
	m.mu.Unlock()
	doc.start()
	m.Presence.lobby.Opened(doc.Path())
	m.tell(Event{Kind: Opened, Document: doc})
	m.janitor.makeRoom(e)
	m.janitor.nudge()
}

// start starts the document's goroutines, after it was added to the map.
func (d *Document) start() {
	d.wg.Go(keeper{d}.keep)
	d.wg.Go(d.saver.Run)
	d.wg.Go(func() { d.seats.Run(d.ctx) })
	if d.cells != nil {
		d.cells.Start()
	}
}

// pin pins an entry's document, unless it is being left.
func (m *Manager) pin(e *entry) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.going || m.open[e.path] != e {
		return false
	}
	e.doc.use(1)
	return true
}

// exists checks again for a file that was missing. A room without a file accepts edits but does not save them, so a document
// whose file is still missing is closed.
func (d *Document) exists(ctx context.Context) error {
	if !d.saver.Gone() {
		return nil
	}
	if _, err := d.m.cfg.Server.Contents.Get(ctx, d.Path(), jupyter.ContentsOptions{}); errors.Is(err, jupyter.ErrNotFound) {
		d.m.drop(d.entry, "its file is gone")
		return err
	}
	return nil // other errors show when the document is used
}

// openDocument checks that the path is of the kind, and joins its room.
func (m *Manager) openDocument(ctx context.Context, path jupyter.Path, k kind, heard func()) (*Document, error) {
	var c jupyter.Content
	tries := refusedrooms.MaxTries
	if m.cfg.Server != nil {
		var err error
		if c, tries, err = m.joins.inspect(ctx, path, k); err != nil {
			m.Refused.Note(c, err)
			return nil, err
		}
		path = c.Path
	}
	lv, err := m.join(ctx, path, k, tries, heard)
	m.Refused.Note(c, err)
	if err != nil {
		return nil, err
	}
	if _, always := lv.server.(serverDocuments); !always { // its tabs are always in the rooms
		m.tabs.look(ctx, m.cfg.Server)
	}
	d := newDocument(m, path, k, lv)
	if m.cfg.Server != nil {
		d.saver.Saw(c, lv.saved())
	}
	return d, nil
}
