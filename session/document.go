package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/saved"
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
	saver  *saved.Saver
	cells  *run.Cells      // the queue; nil in a text
	kernel *notebookKernel // nil in a text

	mu      sync.Mutex
	path    string // changes when the file is renamed
	live    *live
	swapped chan struct{} // closed when live is another
	users   int           // calls and runs that hold the document
	last    time.Time
	closed  bool
	times   times

	tabsSaid atomic.Bool // see Tabs
}

// times are the times of a document's events. Document.mu guards them.
type times struct {
	opened  time.Time
	changed time.Time // its content, as seen here
}

func newDocument(m *Manager, path string, k kind, lv *live) *Document {
	d := &Document{m: m, kind: k, path: path, live: lv, swapped: make(chan struct{}), last: time.Now()}
	d.times = times{opened: d.last, changed: d.last}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.saver = saved.New(d.ctx, saveable{d}, m.cfg.Server, &m.silent, m.log)
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
	d.wg.Go(d.saver.Run)
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

// replace takes another joined room in place of the last. The caller holds mu.
func (d *Document) replace(lv *live) {
	d.live = lv
	close(d.swapped)
	d.swapped = make(chan struct{})
}

// use adds n to the number of holders of the document, and resets its idle time.
func (d *Document) use(n int) {
	d.mu.Lock()
	d.users += n
	d.last = time.Now()
	free := d.users == 0
	d.mu.Unlock()
	if free {
		d.saver.Unused()
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
	hearOut(ctx, lv)
	return d.saver.Leave(ctx, lv.saved())
}

// hearOutFor bounds the wait for what others wrote, when a room is left.
const hearOutFor = 2 * time.Second

// hearOut waits for what the server passed on before it had our last edit. What others wrote into a cell before they knew
// that we have moved it nobody but us carries over, see package ydoc/crdt: whoever leaves earlier takes it with them. Two
// answers it takes, because an answer may overtake what was passed on before it. What is carried over goes out before
// the room is left.
func hearOut(ctx context.Context, lv *live) {
	if lv.room.State() != rtc.Synced || lv.doc.Clock(lv.doc.ClientID()) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, hearOutFor)
	defer stop()
	for range 2 {
		if lv.room.Barrier(ctx) != nil {
			return // the room is away: then it is left as it is
		}
	}
}
