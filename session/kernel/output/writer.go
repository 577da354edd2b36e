package output

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// writeEvery is the shortest time between two writes of a run's output: the first byte is written at once, a flood in
	// batches.
	writeEvery = 25 * time.Millisecond
	// writeTimeout bounds one write, including lost connections.
	writeTimeout = 30 * time.Second
	// maxWriteRetry is the longest pause after failed writes.
	maxWriteRetry = 5 * time.Second
	// maxWaiting bounds the unwritten output; beyond it the kernel's messages must wait.
	maxWaiting = 4 << 20
)

// Notebook is the open notebook, as used by a Writer.
type Notebook interface {
	Path() jupyter.Path
	Notebook() *ydoc.Notebook
	Edit(ctx context.Context, name string, fn func(*ydoc.Editor) error) error
	// Calm returns a channel that is closed when output may be written: soon, or at once. Each write interrupts the
	// server's save.
	Calm() <-chan struct{}
}

// Target says where a Writer writes.
type Target struct {
	Notebook Notebook
	Cell     string    // its id
	Run      string    // the id of the run
	Displays *Displays // of the notebook
	Stores   Stores    // for output that the cell lacks
	Log      *slog.Logger
	Before   []ydoc.Output // of a continued run, without outdated notes; nil for a new run
}

// Writer writes a run's output into its cell during the run. One goroutine writes; the kernel's connection feeds it through
// Handle, and must wait while too much output is unwritten.
type Writer struct {
	held
	to  Target
	ctx context.Context // ends with the document, with Close, or soon after Hurry
	end context.CancelFunc

	space   *sync.Cond // signals that less output is unwritten
	begun   bool       // the kernel has begun the run; until then the cell shows an earlier run
	fresh   bool       // the next write removes the earlier run from the cell
	ended   bool
	late    bool // the run has ended, and more of its output is added to the cell
	writing bool // a goroutine writes late output
	closed  bool // no more output is accepted
	lately  sync.WaitGroup
	wrote   int            // how many outputs the cell had after the last write
	into    *ydoc.Notebook // the replica of that write
	wake    chan struct{}
	over    chan struct{} // closed when no more output comes
	done    chan struct{}
	left    bool // for the runner: the server marks the end of the cell's run
	hurried atomic.Bool
	marked  bool // for the runner, once done is closed: the last write has marked the end of the cell's run
}

// NewWriter starts a Writer; its writes end with the context. End it with Finish and Close.
func NewWriter(ctx context.Context, to Target) *Writer {
	ctx, end := context.WithCancel(ctx)
	w := &Writer{to: to, ctx: ctx, end: end, wake: make(chan struct{}, 1), over: make(chan struct{}), done: make(chan struct{})}
	w.outs.run, w.outs.stores = to.Run, to.Stores
	w.outs.resume(to.Before)
	w.begun = to.Before != nil
	w.space = sync.NewCond(&w.mu)
	go w.write()
	return w
}

// Handle applies one event of the kernel, and waits while too much output is unwritten. Any event but a status or a gap in
// the connection means that the run has begun.
func (w *Writer) Handle(ev kernel.Event) {
	w.mu.Lock()
	for w.outs.waiting > maxWaiting && (!w.ended || w.late) && !w.closed {
		w.space.Wait()
	}
	if w.closed {
		w.mu.Unlock()
		return
	}
	switch ev.(type) {
	case kernel.Status, kernel.Gap:
	default:
		w.begin()
	}
	if w.begun {
		w.outs.add(ev)
	}
	ready := w.outs.waiting > 0 || !w.fresh
	w.writeLate()
	w.mu.Unlock()
	if ready {
		w.signal()
	}
}

// Begin notes that the kernel has begun the run. The cell's earlier outputs and count are removed with the first output,
// or a moment later.
func (w *Writer) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
}

// begin is Begin with w.mu held.
func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun, w.fresh = true, true
	w.outs.rewriteAll()
	late := time.AfterFunc(writeEvery, w.signal)
	context.AfterFunc(w.ctx, func() { late.Stop() })
}

// Begun reports whether the kernel has begun the run.
func (w *Writer) Begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begun
}

// writes reports whether the Writer owns the cell's outputs: they are neither an earlier run's nor written by the server.
// w.mu is held.
func (w *Writer) writes() bool { return w.begun && w.cell == nil }

// Mirror copies the cell's outputs if the server writes them, as it does once it has begun the run.
func (w *Writer) Mirror(outs []ydoc.Output, count *int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if outs == nil {
		outs = []ydoc.Output{}
	}
	w.cell, w.outs.count, w.begun = outs, count, true
}

// Leave leaves the end of the cell's run to the server. The runner calls it before Finish.
func (w *Writer) Leave() { w.left = true }

// Hurry makes the writes wait at most limit more for a room that is away. They reach the room when it is back. The runner
// calls it before Finish.
func (w *Writer) Hurry(limit time.Duration) {
	w.hurried.Store(true)
	last := time.AfterFunc(limit, w.end)
	context.AfterFunc(w.ctx, func() { last.Stop() })
}

// Marked reports whether the end of the run is already marked in the cell, by the last write, or is left to the server.
// The runner calls it after Finish.
func (w *Writer) Marked() bool { return w.left || w.marked }

// Places returns the outputs of the run with updatable displays.
func (w *Writer) Places() Places {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outs.places(w.to.Cell)
}

// Note writes a line from nbduet.
func (w *Writer) Note(text string) {
	w.mu.Lock()
	w.outs.note(text)
	w.mu.Unlock()
	w.signal()
}

func (w *Writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Finish writes the rest at once, and waits until it is in the room, or the write has failed.
func (w *Writer) Finish() {
	w.mu.Lock()
	w.outs.sayOmitted()
	w.ended = true
	w.mu.Unlock()
	close(w.over)
	w.signal()
	<-w.done
}

// Close ends a Writer after Finish: later output is dropped.
func (w *Writer) Close() {
	w.close()
	w.lately.Wait()
}

// close is Close for the writing goroutine.
func (w *Writer) close() {
	w.mu.Lock()
	w.closed = true
	w.space.Broadcast()
	w.mu.Unlock()
	w.end()
}

// Until returns a context that ends when no more output is accepted.
func (w *Writer) Until() context.Context { return w.ctx }

// document identifies the content of a notebook: the replica, and how often the server has reloaded the file into it.
type document struct {
	replica *ydoc.Notebook
	reloads uint64
}

func (w *Writer) document() document {
	replica := w.to.Notebook.Notebook()
	return document{replica, replica.Reloads()}
}

func (w *Writer) write() {
	defer close(w.done)
	pause := writeEvery
	in := w.document()
	for range w.wake {
		for {
			w.wait()
			w.mu.Lock()
			// A rejoined room may lack confirmed output, because the server lost unsaved changes. So may a document that
			// was reloaded because another program wrote the file.
			if now := w.document(); now != in {
				in = now
				if w.writes() {
					w.fresh = true
					w.outs.rewriteAll()
				}
			}
			ended := w.ended
			pending := w.outs.pending()
			part := w.part(ended && w.cell == nil) // otherwise the server marks the end
			updates := w.outs.takeUpdates()
			w.space.Broadcast()
			w.mu.Unlock()
			if pending && w.flush(part) {
				pause = writeEvery
			} else if pending {
				// The cell may have a part of it or none; the next write writes all.
				w.mu.Lock()
				if w.writes() {
					w.fresh = w.fresh || part.fresh
					w.outs.rewriteAll()
				} else {
					w.outs.added = slices.Concat(part.added, w.outs.added)
				}
				w.mu.Unlock()
				pause = min(2*pause, maxWriteRetry)
			}
			w.updateOtherCells(updates)
			if w.document() != in {
				continue
			}
			if ended {
				return
			}
			if !pending && len(updates) == 0 {
				break
			}
			select {
			case <-w.ctx.Done():
			case <-w.over:
			case <-time.After(pause):
			}
		}
	}
}

// wait returns when output may be written. The last write does not wait: a caller waits for the run.
func (w *Writer) wait() {
	select {
	case <-w.to.Notebook.Calm():
	case <-w.over:
	case <-w.ctx.Done():
	}
}

// A part is the content of one edit.
type part struct {
	fresh   bool          // removes the earlier run first
	added   []change      // appended to the outputs
	all     []ydoc.Output // replaces the outputs, with rewrite
	rewrite bool
	last    bool // marks the end of the run, after the output
	outputs int  // how many outputs the cell has then
	begun   bool
	count   *int
}

// part takes the unwritten output. w.mu is held.
func (w *Writer) part(last bool) part {
	p := part{fresh: w.fresh, last: last && !w.left, begun: w.begun, count: w.outs.count}
	p.added, p.all, p.rewrite = w.outs.take()
	p.outputs = len(w.outs.items)
	w.fresh = false
	return p
}

// flush writes a part of the output in one edit.
func (w *Writer) flush(p part) bool {
	id, replica := w.to.Cell, w.to.Notebook.Notebook()
	if _, ok := replica.Index(id); !ok {
		return true // the cell was deleted: the run keeps its outputs
	}
	ctx, stop := context.WithTimeout(w.ctx, writeTimeout)
	defer stop()
	err := w.to.Notebook.Edit(ctx, "output", func(e *ydoc.Editor) error { return p.stage(e, id) })
	if p.fresh {
		w.to.Displays.Leave(id) // they belong to the earlier run
	}
	var unsure interface{ Unconfirmed() }
	if (w.hurried.Load() || !p.begun) && errors.As(err, &unsure) {
		err = nil // it is sent when the room is back; writing it again would duplicate a note in a cell that was not run
	}
	w.marked = p.last && err == nil
	w.wrote, w.into = p.outputs, replica
	if err != nil {
		w.to.Log.Warn("output could not be written to the notebook", "path", w.to.Notebook.Path(), "run", w.to.Run, "error", err)
	}
	return err == nil
}

// stage stages the edit. A run that has not begun leaves the cell's count.
func (p part) stage(e *ydoc.Editor, id string) error {
	count := p.count
	if cell, ok := e.Cell(id); ok && !p.begun {
		count = cell.ExecutionCount
	}
	if p.fresh {
		if err := e.StartRun(id); err != nil {
			return err
		}
	}
	if err := p.stageOutputs(e, id); err != nil || !p.last {
		return err
	}
	return e.FinishRun(id, count)
}

func (p part) stageOutputs(e *ydoc.Editor, id string) error {
	if p.rewrite {
		return e.SetOutputs(id, p.all)
	}
	for _, c := range p.added {
		var err error
		if c.out != nil {
			err = e.AppendOutput(id, c.out)
		} else {
			err = e.AppendStream(id, c.stream, c.text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// updateOtherCells updates displays of other cells.
func (w *Writer) updateOtherCells(updates map[string]kernel.Display) {
	for id, up := range updates {
		ctx, stop := context.WithTimeout(w.ctx, writeTimeout)
		err := w.to.Displays.Update(ctx, w.to.Notebook, id, up)
		stop()
		if err != nil {
			w.to.Log.Warn("a display in another cell could not be updated", "path", w.to.Notebook.Path(), "run", w.to.Run, "error", err)
		}
	}
}

// A cell's code can continue after its run has ended, in threads and in tasks. The kernel sends their output as output of
// the cell's request, and a tab adds it to the cell if the tab has run it. So a Writer continues after its run, within the
// same bounds and in the same batches.

// errOver reports that a cell no longer belongs to the run.
var errOver = textfmt.Fixed("the cell was run again, cleared or deleted")

// Late adds output that comes after the end of the run to its cell, until Close, or until the cell is run again by any
// client, its outputs are cleared, or it is deleted. Call it after Finish, when the cell shows the end of the run: a cell
// that is running, or has another count, no longer belongs to this run.
func (w *Writer) Late() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = true
	w.writeLate()
}

// Over reports whether no more output is accepted.
func (w *Writer) Over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// Bytes returns the size of the run's output.
func (w *Writer) Bytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outs.size + w.outs.figureSize
}

// writeLate starts a goroutine that writes late output, if there is any. w.mu is held.
func (w *Writer) writeLate() {
	if !w.late || w.closed || w.writing {
		return
	}
	if w.outs.said == 0 {
		w.outs.sayOmitted() // once: each further note would enlarge the cell
	}
	if !w.outs.pending() && len(w.outs.updates) == 0 {
		w.outs.waiting = 0 // all of it was left out
		return
	}
	w.writing = true
	w.lately.Go(w.writeAllLate)
}

// writeAllLate writes late output until all is written.
func (w *Writer) writeAllLate() {
	for pause := writeEvery; ; {
		select {
		case <-w.to.Notebook.Calm():
		case <-w.ctx.Done():
		}
		w.mu.Lock()
		if w.closed || w.ctx.Err() != nil || !w.outs.pending() && len(w.outs.updates) == 0 {
			w.writing, w.outs.waiting = false, 0
			w.closed = w.closed || w.ctx.Err() != nil
			w.space.Broadcast()
			w.mu.Unlock()
			return
		}
		if w.to.Notebook.Notebook() != w.into {
			w.outs.rewriteAll() // the room was rejoined, and may lack confirmed output
		}
		pending, part, updates := w.outs.pending(), w.part(false), w.outs.takeUpdates()
		w.space.Broadcast()
		w.mu.Unlock()
		err := error(nil)
		if pending {
			err = w.add(part)
		}
		switch {
		case errors.Is(err, errOver):
			w.close()
			continue
		case err != nil:
			w.to.Log.Warn("late output could not be written to the notebook", "path", w.to.Notebook.Path(), "run", w.to.Run, "error", err)
			w.mu.Lock()
			w.outs.rewriteAll()
			w.mu.Unlock()
			pause = min(2*pause, maxWriteRetry)
		default:
			pause = writeEvery
		}
		w.updateOtherCells(updates)
		if places := w.Places(); len(places) > 0 {
			w.to.Displays.Enter(w.to.Cell, places)
		}
		select {
		case <-w.ctx.Done():
		case <-time.After(pause):
		}
	}
}

// add writes a part of the late output, unless the cell no longer belongs to the run.
func (w *Writer) add(p part) error {
	ctx, stop := context.WithTimeout(w.ctx, writeTimeout)
	defer stop()
	replica := w.to.Notebook.Notebook()
	err := w.to.Notebook.Edit(ctx, "output", func(e *ydoc.Editor) error {
		cell, ok := e.Cell(w.to.Cell)
		switch {
		case !ok, cell.Type != ydoc.Code, cell.ExecutionState == ydoc.Running:
			return errOver
		case (cell.ExecutionCount == nil) != (p.count == nil), p.count != nil && *cell.ExecutionCount != *p.count:
			return errOver
		case replica == w.into && len(cell.Outputs) < w.wrote:
			return errOver
		}
		return p.stageOutputs(e, w.to.Cell)
	})
	if err == nil {
		w.wrote, w.into = p.outputs, replica
	}
	return err
}
