package session

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/ydoc"
)

// room is the part of rtc.Room that a document needs.
type room interface {
	ID() string
	FileID() string
	SessionID() string
	State() rtc.State
	Barrier(ctx context.Context) error
	Save(ctx context.Context) (string, error)
	Leave(ctx context.Context) error
	LastSave(ctx context.Context) error
	Depart(ctx context.Context)
	Peers() []rtc.Peer
	Since() time.Time
	Named(client uint64) (name string, agent, ok bool)
	Sole() (client uint64, ok bool)
	SetAppearance(client uint64, f *rtc.Appearance)
	Replicas() []uint64
	AutosaveOff() bool
	Rename(path jupyter.Path)
	WaitSynced(ctx context.Context) error
	LostAt() time.Time
	Quiet() time.Duration
	Done() <-chan struct{}
	Err() error
}

// live is one joined room with its replica. A document has one at a time; when a room is lost for good, another replaces it,
// and nothing of the old one is kept.
type live struct {
	room room
	doc  *ydoc.Doc      // of nb or text
	nb   *ydoc.Notebook // nil in a text
	text *ydoc.Text     // nil in a notebook

	joined ydoc.Bloat    // of the replica when the room was joined
	server extension     // of the server of the room
	typing people.Typing // of the others
	steps  *undo.History // from begin on
	// unconfirmed are the cells with edits of this program that the room has not confirmed.
	unconfirmed unconfirmed
	gap         *IncompleteError  // why the file is shown instead of the room; nil if the room is shown
	history     *changelog.Log    // nil in a text
	losses      *changelog.Losses // nil in a text
	calls       *mentions.Tracker
}

func newLive(r room, nb *ydoc.Notebook) *live {
	return &live{room: r, doc: nb.Doc, nb: nb, joined: nb.Bloat(), server: collaboration{}, history: changelog.New(nb, r), losses: changelog.Watch(nb)}
}

func newTextLive(r room, text *ydoc.Text) *live {
	return &live{room: r, doc: text.Doc, text: text, joined: text.Bloat(), server: collaboration{}}
}

// kept is the state of [Kept].
type kept struct {
	place     func() undo.Place
	snapshots changelog.Snapshots // nil for none

	examining sync.Mutex
	compared  bool               // with the last snapshot of before the document was opened
	before    changelog.Snapshot // of before the last loss

	stops []editguard.Hold // as last seen by the keeper
}

// begin starts the records of the room's changes.
func (lv *live) begin(steps *undo.Keeper, k *kept, changes *changelog.Total, served *changelog.Served, why undo.Beginning) {
	if lv.nb == nil {
		lv.steps = steps.Begin(lv.doc, why)
		return
	}
	lv.steps = steps.Begin(lv.nb, why)
	lv.steps.Keep(k.place)
	if k.snapshots != nil {
		lv.history.Keep(k.snapshots)
	}
	lv.history.Serves(served)
	lv.history.CountIn(changes)
}

// end drops the records.
func (lv *live) end() {
	lv.steps.End()
	if lv.history != nil {
		lv.history.Stop()
		lv.losses.Stop()
		lv.calls.Stop()
	}
}

// hear looks for calls of agents in a notebook. before is the previous live, nil for none.
func (lv *live) hear(book *mentions.Book, f mentions.Followed, before *live) {
	if lv.nb == nil {
		return
	}
	f.Notebook, f.Room, f.Author = lv.nb, lv.room, func() string { return lv.history.Writing().Client }
	var last *mentions.Tracker
	if before != nil {
		last = before.calls
	}
	lv.calls = book.Follow(f, last)
}

// saved returns the joined room in the form of package filesync.
func (lv *live) saved() filesync.Joined {
	_, documents := lv.server.(serverDocuments)
	return filesync.Joined{Room: lv.room, Notebook: lv.nb, Text: lv.text, Documents: documents}
}

// lostAt returns when the room's connection was lost, or when the server last sent something.
func (lv *live) lostAt() time.Time {
	if lv.room.State() == rtc.Synced {
		return time.Now().Add(-lv.room.Quiet())
	}
	return lv.room.LostAt()
}
