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

// Document is the open copy of one notebook or text file. Get it from [Manager.Open] or [Manager.OpenText] and call
// Release when the call that wanted it is over.
type Document struct {
	m     *Manager
	kind  kind
	entry *entry

	ctx    context.Context // ends with the document
	cancel context.CancelFunc
	wg     sync.WaitGroup
	saver  *saver
	cells  *run.Cells      // their queue; nil in a text
	kernel *notebookKernel // nil in a text

	mu     sync.Mutex
	path   string // changes when the file is renamed
	live   *live
	users  int // calls and runs that hold the document
	last   time.Time
	closed bool
	times  times
}

// times are when what happened to a document. Document.mu guards them.
type times struct {
	opened  time.Time
	changed time.Time // its content, as far as seen here
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

// start sets the document to work, once it has its place in the map.
func (d *Document) start(e *entry) {
	d.entry = e
	d.wg.Go(keeper{d}.keep)
	d.wg.Go(d.saver.run)
	if d.cells != nil {
		d.cells.Start()
	}
}

// Path is the document's path, as the Contents API has it. It changes when the file is renamed through the server.
func (d *Document) Path() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.path
}

// FileID is the server's id of the file.
func (d *Document) FileID() string { return d.current().room.FileID() }

// Notebook is the replica of a notebook as it is now, nil where the document is a text. It is for reading: write
// through [Document.Edit], which waits until the room has the edit.
func (d *Document) Notebook() *ydoc.Notebook { return d.current().nb }

// Peers lists who else is in the document's room.
func (d *Document) Peers() []rtc.Peer { return d.current().room.Peers() }

func (d *Document) current() *live {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.live
}

// use counts the holders of the document and touches its idle clock.
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

// Release ends one Open; the document is not to be used through it afterwards. From the last release on the document
// counts as idle.
func (d *Document) Release() {
	d.use(-1)
	d.m.nudge()
}

// lastUse says when the document was last used, and whether it is in use now.
func (d *Document) lastUse() (last time.Time, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last, d.users > 0
}

// LostError says that a room was lost before it had confirmed an edit: as far as anybody can tell the edit has not been
// made, or nobody can tell.
type LostError struct {
	Name string // the edit's
	Err  error
}

func (e *LostError) Error() string {
	var end *rtc.CloseError
	if errors.As(e.Err, &end) && end.Unsure {
		return fmt.Sprintf("%s: not known whether it was made: its room was lost before it had confirmed the edit; read again, and repeat it only where it is missing (%v)", e.Name, e.Err)
	}
	return fmt.Sprintf("%s: not made: its room was lost before it had confirmed the edit; read again, then repeat it (%v)", e.Name, e.Err)
}

// Unwrap gives the room's own error.
func (e *LostError) Unwrap() error { return e.Err }

// UnconfirmedError says that the room did not confirm an edit in the time that the call had. The edit is made here, and
// goes to the room when it can.
type UnconfirmedError struct {
	Name string
	Err  error
}

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("%s: not confirmed yet: the connection to the room is down or slow; the edit is sent when it is back, so read again before repeating it (%v)", e.Name, e.Err)
}

// Unconfirmed tells such errors from others, see [run.Unconfirmed].
func (e *UnconfirmedError) Unconfirmed() {}

// Unwrap gives the context's error.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// Edit makes one edit, as a single transaction, and returns when the room has it. An error of fn, or of what fn staged,
// means that nothing was written. A *LostError and an *UnconfirmedError say what is known of an edit that the room did
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
		return fmt.Errorf("%s: the %s's room is lost and is being joined again, try once more in a moment: %w", name, d.kind, err)
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

// Settled returns when the room has every edit made here before.
func (d *Document) Settled(ctx context.Context) error { return d.current().room.Barrier(ctx) }

// close ends the document: its queue, its goroutines, the kernel's socket, and the room, with a last save where the
// file may lack something.
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

// UnsavedError says that a document was left while its file did not have all that was in the room, or while it was not
// known to.
type UnsavedError struct{ Path, Reason string }

// Kind names the document, without the reason.
func (e *UnsavedError) Kind() string { return e.Path + " not saved" }

func (e *UnsavedError) Error() string {
	if strings.HasPrefix(e.Reason, notKnown) {
		return e.Path + ": " + e.Reason
	}
	return fmt.Sprintf("%s: not saved: %s", e.Path, e.Reason)
}
