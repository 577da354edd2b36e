package session

import (
	"context"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/origin"
)

// Run queues the execution of code cells, see [run.Cells.Run].
func (d *Document) Run(ctx context.Context, cellIDs []string) ([]*run.Run, error) {
	return d.RunWith(ctx, cellIDs, run.Options{})
}

// RunWith is Run with options.
func (d *Document) RunWith(ctx context.Context, cellIDs []string, opt run.Options) ([]*run.Run, error) {
	runs, err := d.cells.Run(ctx, cellIDs, opt)
	d.current().ran(ctx, runs...)
	return runs, err
}

// RunNew appends a code cell and queues its run, see [run.Cells.RunNew].
func (d *Document) RunNew(ctx context.Context, source string, opt run.Options) (*run.Run, error) {
	r, err := d.cells.RunNew(ctx, source, opt)
	if err == nil {
		d.current().ran(ctx, r)
	}
	return r, err
}

// ran notes the cells that a client has run in its steps.
func (lv *live) ran(ctx context.Context, runs ...*run.Run) {
	lv.steps.Ran(origin.Of(ctx), run.CellIDs(runs))
}

// TakenUp returns a run that was left in the notebook, once the notebook has taken up such runs.
func (d *Document) TakenUp(ctx context.Context, id string) (*run.Run, bool) {
	d.cells.Ready(ctx)
	return d.m.runs.Run(id)
}

// cellsOf implements [run.Notebook] for a document.
type cellsOf struct {
	*Document
	*NotebookKernel
}

// Joined returns the currently joined room.
func (c cellsOf) Joined() run.Joined {
	lv := c.current()
	return run.Joined{Room: lv.room, Notebook: lv.nb}
}

// Served notes that the server runs a cell for a client.
func (c cellsOf) Served(cell, client string) (end func()) { return c.served.Begin(cell, client) }

// Hold counts the runs that need the document open.
func (c cellsOf) Hold(n int) {
	c.use(n)
	if n < 0 {
		c.m.janitor.nudge()
	}
}

// Calm returns a channel that is closed when output may be written: not while the document is being saved.
func (c cellsOf) Calm() <-chan struct{} { return c.saver.OutputAllowed() }

// Way returns how the cells run.
func (c cellsOf) Way() run.Way {
	lv := c.current()
	way := lv.server.way(c.m.servers.Apart())
	for _, h := range editguard.Stops(lv.nb) {
		way.Refusal = &editguard.HandsOffError{Edit: "run", Hold: h, Index: -1}
	}
	return way
}

// Others returns the other clients in the room.
func (c cellsOf) Others() []uint64 { return c.current().room.Replicas() }
