package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/kernel/run"
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
	saver  *filesync.Saver
	seats  *presence.Seats
	cells  *run.Cells      // the queue; nil in a text
	kernel *NotebookKernel // nil in a text

	mu      sync.Mutex
	path    jupyter.Path // changes when the file is renamed
	live    *live
	swapped chan struct{} // closed when live is replaced
	users   int           // calls and runs that hold the document
	last    time.Time
	closed  bool
	opened  time.Time
	changed time.Time // of the content, as seen here

	tabsSaid atomic.Bool // see Tabs
	olderFormat
	served changelog.Served
	calls  mentions.Followed // the arguments for finding calls, without the replica
	kept   kept
}

// Path returns the document's path in the Contents API. It changes when the file is renamed through the server.
func (d *Document) Path() jupyter.Path {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.path
}

// FileID returns the server's id of the file.
func (d *Document) FileID() string { return d.current().room.FileID() }

// Notebook returns the current replica of a notebook, nil if the document is a text. It is for reading: write with
// [Document.Edit], which waits until the room has the edit.
func (d *Document) Notebook() *ydoc.Notebook { return d.current().nb }

func (d *Document) current() *live {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.live
}

// replace replaces the joined room. The caller holds mu.
func (d *Document) replace(lv *live) {
	lv.begin(&d.m.steps, &d.kept, &d.m.changes, &d.served, undo.JoinedAfresh)
	lv.hear(d.m.Mentions, d.calls, d.live)
	if lv.nb != nil {
		before := d.live.losses.Last()
		before.At = d.live.lostAt()
		lv.losses.Since(before)
	}
	d.live.end()
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
	d.m.janitor.nudge()
}

// lastUse returns when the document was last used, and whether it is in use.
func (d *Document) lastUse() (last time.Time, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last, d.users > 0
}

// Settled returns when the room has all our earlier edits.
func (d *Document) Settled(ctx context.Context) error { return d.current().room.Barrier(ctx) }

// Unsaved says, in one sentence for callers, why the file is not up to date; "" if it is, as far as known.
func (d *Document) Unsaved() string { return d.saver.Unsaved() }

// Overwritten says, once, that confirmed edits may be lost, see [filesync.Saver.Overwritten].
func (d *Document) Overwritten() string { return d.saver.Overwritten() }

// SaveAndHold saves the document, and blocks further saves until release is called, see [filesync.Saver.SaveAndHold].
func (d *Document) SaveAndHold(ctx context.Context) (release func(), err error) {
	return d.saver.SaveAndHold(ctx)
}

// Tabs says, once for each opening of the document, that people's tabs do not show it; "" if they do.
func (d *Document) Tabs() string {
	note := d.m.tabs.note()
	if note == "" || d.tabsSaid.Swap(true) {
		return ""
	}
	return note
}

// olderFormat notes that a document's file is of a notebook format that a save converts.
type olderFormat struct {
	notebook func() *ydoc.Notebook
	said     atomic.Bool
}

// Older says, once for each opening of the document, that its file is of an older format; "" if it is not.
func (o *olderFormat) Older() string {
	nb := o.notebook()
	if nb == nil {
		return ""
	}
	was, ok := nb.Metadata()["orig_nbformat"].(int) // set by the server when it converts a notebook
	if !ok || was >= 4 || o.said.Swap(true) {
		return ""
	}
	return fmt.Sprintf("the file is of notebook format %d: saving converts it to 4.5", was)
}

// The states that Info.Status can have.
const (
	Connected = "connected"
	// Away is the state of an open document whose room was lost and is joined again, or is being left.
	Away = "away"
	// Disconnected is the state of a document that was closed.
	Disconnected = "disconnected"
)

// Info describes one document's session, open or ended.
type Info struct {
	Path         jupyter.Path
	Notebook     bool   // a notebook, otherwise a text
	SessionID    string // the server's collaboration session
	FileID       string
	Status       string // Connected, Away or Disconnected
	Cells        int
	LastActivity time.Time     // the last call that used the document
	ExpiresIn    time.Duration // until it is evicted; 0 while it is busy or after it has ended
	Busy         bool          // in use by a call or a run
	Unsaved      string        // why the file does not follow the document; "" while it does
	Lost         string        // which confirmed edits of a closed document may be lost for good; "" for none
	Message      string        // one sentence for people
}
