package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/kernel/run"
)

func newDocument(m *Manager, path jupyter.Path, k kind, lv *live) *Document {
	d := &Document{m: m, kind: k, path: path, live: lv, swapped: make(chan struct{}), opened: time.Now()}
	d.last, d.changed = d.opened, d.opened
	d.notebook = d.Notebook
	d.kept.place = func() undo.Place {
		return undo.Place{Server: m.cfg.Server.BaseURL(), File: d.FileID(), Path: d.Path().String()}
	}
	if m.cfg.Journal != nil {
		d.kept.snapshots = m.cfg.Journal.Snapshots(d.kept.place)
	}
	lv.begin(&m.steps, &d.kept, &m.changes, &d.served, undo.Opened)
	d.calls = mentions.Followed{Path: d.Path, Company: d.Company, Obey: func(c mentions.Command, m mentions.Mention) bool {
		return Obey(d.ctx, d, c, m.Cell, editguard.Who{Name: m.Who.Name, Username: m.Who.Username})
	}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.saver = filesync.New(d.ctx, saveable{d}, m.cfg.Server, &m.silent, m.log)
	d.seats = presence.NewSeats(m.Presence.clients, inLobby{d}, m.cfg.IdleTimeout, lv.room)
	if k == notebookKind {
		d.kernel = newNotebookKernel(d)
		d.cells = run.NewCells(d.ctx, cellsOf{d, d.kernel}, m.runs, errors.New("the session of its notebook was ended"))
	}
	lv.hear(m.Mentions, d.calls, nil)
	return d
}

// obeyWithin bounds the wait until the room has a person's command, and until the runs are cancelled after Stop.
const obeyWithin = 10 * time.Second

// Obey carries out a person's command to this program in a notebook, for a cell, or with "" for all of it. It returns false
// if it had no effect: "go on" without an earlier "hands off" is meant for the agent.
func Obey(ctx context.Context, d *Document, c mentions.Command, cell string, who editguard.Who) bool {
	ctx, stop := context.WithTimeout(ctx, obeyWithin)
	defer stop()
	var err error
	if c != mentions.GoOn {
		if c == mentions.HandsOffNotebook {
			cell = ""
		}
		err = editguard.HandsOff(ctx, d, cell, who)
	} else {
		if !slices.ContainsFunc(editguard.Holds(d.Notebook()), func(h editguard.Hold) bool { return h.Notebook() || cell == "" || h.Cell == cell }) {
			return false
		}
		present := lo.Map(d.Company().Persons(), func(p people.Person, _ int) string { return cmp.Or(p.Username, p.Name) })
		_, err = editguard.GoOn(ctx, d, cell, who, present)
	}
	if err != nil { // the edit is in the replica, and reaches the room when it can
		d.m.log.Warn("a person's command is not confirmed", "path", d.Path(), "error", err)
	}
	return true
}

// close ends the document: its queue, its goroutines, the kernel's socket, and the room, with a last save if the file
// may lack something.
func (d *Document) close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	lv := d.live
	d.mu.Unlock()
	d.seats.Close()
	d.cancel()
	d.wg.Wait()
	if d.cells != nil {
		d.cells.Close()
		d.kernel.Link().Close()
	}
	lv.end()
	hearOut(ctx, lv)
	return d.saver.Leave(ctx, lv.saved())
}

// hearOutFor bounds the wait for the edits of others when a room is left.
const hearOutFor = 2 * time.Second

// hearOut waits for the changes that the server passed on before it had our last edit. If others wrote into a cell before
// they knew that we had moved it, only this process carries their text over, see package ydoc/crdt; leaving earlier would
// lose it. It takes two answers, because an answer may overtake changes that were passed on before it. The carried changes
// are sent before the room is left.
func hearOut(ctx context.Context, lv *live) {
	if lv.room.State() != rtc.Synced || lv.doc.Clock(lv.doc.ClientID()) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, hearOutFor)
	defer stop()
	for range 2 {
		if lv.room.Barrier(ctx) != nil {
			return // the room is away, and is left as it is
		}
	}
}

// saveable implements [filesync.Document] for a document.
type saveable struct{ *Document }

// Joined returns the currently joined room.
func (d saveable) Joined() filesync.Joined { return d.current().saved() }

// LastUse returns when the document was last used, and whether it is in use.
func (d saveable) LastUse() (last time.Time, busy bool) { return d.lastUse() }

// Follow finds the new path of the file.
func (d saveable) Follow(ctx context.Context, fileID string) bool { return d.follow(ctx, fileID) }
