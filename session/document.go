package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/ydoc"
)

// Document is an open notebook or text file. Get it from [Manager.Open] or [Manager.OpenText], and call Release after
// use.
type Document struct {
	m     *Manager
	kind  kind
	entry *entry

	ctx    context.Context // ends with the document
	cancel context.CancelFunc
	wg     sync.WaitGroup
	saver  *saver
	cells  *run.Cells      // the queue; nil in a text
	kernel *notebookKernel // nil in a text

	mu     sync.Mutex
	path   string // changes when the file is renamed
	live   *live
	users  int // calls and runs that hold the document
	last   time.Time
	closed bool
	times  times
}

// times are the times of a document's events. Document.mu guards them.
type times struct {
	opened  time.Time
	changed time.Time // its content, as seen here
}

func newDocument(m *Manager, path string, k kind, lv *live) *Document {
	d := &Document{m: m, kind: k, path: path, live: lv, last: time.Now()}
	d.saver = newSaver(d)
	d.times = times{opened: d.last, changed: d.last}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	if k == notebookKind {
		d.kernel = newNotebookKernel(d)
		d.cells = run.NewCells(d.ctx, cellsOf{d, d.kernel}, m.runs, errors.New("the session of its notebook was ended"))
	}
	return d
}

// start starts the document's goroutines, after it was added to the map.
func (d *Document) start(e *entry) {
	d.entry = e
	d.wg.Go(keeper{d}.keep)
	d.wg.Go(d.saver.run)
	if d.cells != nil {
		d.cells.Start()
	}
}

// Path is the document's path in the Contents API. It changes when the file is renamed through the server.
func (d *Document) Path() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.path
}

// FileID is the server's id of the file.
func (d *Document) FileID() string { return d.current().room.FileID() }

// Notebook is the current replica of a notebook, nil if the document is a text. It is for reading: write with
// [Document.Edit], which waits until the room has the edit.
func (d *Document) Notebook() *ydoc.Notebook { return d.current().nb }

// Peers lists who else is in the document's room.
func (d *Document) Peers() []rtc.Peer { return d.current().room.Peers() }

func (d *Document) current() *live {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.live
}

// use adds n to the number of holders of the document, and resets its idle time.
func (d *Document) use(n int) {
	d.mu.Lock()
	d.users += n
	d.last = time.Now()
	free := d.users == 0
	d.mu.Unlock()
	if free {
		select {
		case d.saver.unused <- struct{}{}:
		default:
		}
	}
}

// Release ends one Open; do not use the document afterwards. After the last Release the document is idle.
func (d *Document) Release() {
	d.use(-1)
	d.m.nudge()
}

// lastUse returns when the document was last used, and whether it is in use.
func (d *Document) lastUse() (last time.Time, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last, d.users > 0
}

// LostError says that a room was lost before it confirmed an edit: the edit was not made, or that is not known.
type LostError struct {
	Name string // the edit's
	Err  error
}

func (e *LostError) Error() string {
	var end *rtc.CloseError
	if errors.As(e.Err, &end) && end.Unsure {
		return fmt.Sprintf("%s: not known whether it was made: its room was lost before it had confirmed the edit; read again, and repeat it only if it is missing (%v)", e.Name, e.Err)
	}
	return fmt.Sprintf("%s: not made: its room was lost before it had confirmed the edit; read again, then repeat it (%v)", e.Name, e.Err)
}

// Unwrap gives the room's own error.
func (e *LostError) Unwrap() error { return e.Err }

// UnconfirmedError says that the room did not confirm an edit in time. The edit is made in our replica, and reaches the
// room when it can.
type UnconfirmedError struct {
	Name string
	Err  error
}

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("%s: not confirmed yet: the connection to the room is down or slow; the edit is sent when it is back, so read again before repeating it (%v)", e.Name, e.Err)
}

// Unconfirmed marks such errors, see [run.Unconfirmed].
func (e *UnconfirmedError) Unconfirmed() {}

// Unwrap gives the context's error.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// Edit makes one edit, as a single transaction, and returns when the room has it. If fn, or an edit that it staged,
// fails, nothing was written. A *LostError or an *UnconfirmedError says what is known about an edit that the room did
// not confirm.
func (d *Document) Edit(ctx context.Context, name string, fn func(*ydoc.Editor) error) error {
	return d.edit(ctx, name, func(lv *live) error {
		if lv.nb == nil {
			return fmt.Errorf("%s: %w: it is a text document", name, ErrNotNotebook)
		}
		return lv.nb.Edit(name, fn)
	})
}

// edit makes an edit of either kind and waits until the room has it.
func (d *Document) edit(ctx context.Context, name string, write func(*live) error) error {
	lv := d.current()
	if err := lv.room.Err(); err != nil {
		return fmt.Errorf("%s: the %s's room was lost and is being joined again, try again in a moment: %w", name, d.kind, err)
	}
	if err := write(lv); err != nil {
		return err
	}
	d.saver.file.edited()
	err := lv.room.Barrier(ctx)
	var end *rtc.CloseError
	switch {
	case err == nil:
	case errors.As(err, &end):
		return &LostError{Name: name, Err: err}
	default:
		return &UnconfirmedError{Name: name, Err: err}
	}
	d.saver.want()
	return nil
}

// Settled returns when the room has all our earlier edits.
func (d *Document) Settled(ctx context.Context) error { return d.current().room.Barrier(ctx) }

// close ends the document: its queue, its goroutines, the kernel's socket, and the room, with a last save if the file
// may lack something.
func (d *Document) close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	lv := d.live
	d.mu.Unlock()
	d.cancel()
	d.wg.Wait()
	if d.cells != nil {
		d.cells.Close()
		d.kernel.Link().Close()
	}
	d.saver.file.begin()
	ended, revision := lv.room.Err(), lv.doc.Revision()
	var err error
	if ended == nil && !d.saver.file.has(revision) {
		err = d.saver.last(ctx, lv, revision)
	}
	lv.room.Depart(ctx)
	if problem := d.Unsaved(); problem != "" {
		err = errors.Join(err, &UnsavedError{Path: d.Path(), Reason: problem})
	}
	return err
}

// UnsavedError says that a document was left while its file lacked, or may have lacked, some of the room's content.
type UnsavedError struct{ Path, Reason string }

// Kind names the document, without the reason.
func (e *UnsavedError) Kind() string { return e.Path + " not saved" }

func (e *UnsavedError) Error() string {
	if strings.HasPrefix(e.Reason, notKnown) {
		return e.Path + ": " + e.Reason
	}
	return fmt.Sprintf("%s: not saved: %s", e.Path, e.Reason)
}
