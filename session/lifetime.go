package session

import (
	"context"
	"errors"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/mentions"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/saved"
	"github.com/nbduet/nbduet/session/undo"
)

func newDocument(m *Manager, path jupyter.Path, k kind, lv *live) *Document {
	d := &Document{m: m, kind: k, path: path, live: lv, swapped: make(chan struct{}), last: time.Now()}
	d.times = times{opened: d.last, changed: d.last}
	lv.begin(&m.steps, &m.changes, &d.served, undo.Opened)
	d.calls = mentions.Followed{Path: d.Path, Company: d.Company}
	lv.hear(m.Mentions, d.calls, nil)
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.saver = saved.New(d.ctx, saveable{d}, m.cfg.Server, &m.silent, m.log)
	if k == notebookKind {
		d.kernel = newNotebookKernel(d)
		d.cells = run.NewCells(d.ctx, cellsOf{d, d.kernel}, m.runs, errors.New("the session of its notebook was ended"))
	}
	return d
}

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
	lv.end()
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
