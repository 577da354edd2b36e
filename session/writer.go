package session

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// writeEvery is the shortest time between two writes of a run's output: the
	// first byte goes out at once, a flood in batches.
	writeEvery = 25 * time.Millisecond
	// writeTimeout bounds one write, lost connections included.
	writeTimeout = 30 * time.Second
	// writeRetryMax is the longest pause after writes that failed.
	writeRetryMax = 5 * time.Second
	// waitingMax is how much may wait to be written before the kernel's
	// messages are held back.
	waitingMax = 4 << 20
)

// outputWriter writes a run's output into its cell while the run goes on. One
// goroutine writes; the kernel's connection feeds it through handle, and is
// held back while too much waits.
type outputWriter struct {
	d *Document
	r *Run

	mu    sync.Mutex
	room  *sync.Cond
	outs  outputs
	cell  []ydoc.Output // what the cell has, where the server writes it; nil otherwise
	ended bool
	wake  chan struct{}
	over  chan struct{} // closed when nothing more comes
	done  chan struct{}
	leave bool // the runner's own: the server sees to the end of the cell
	told  bool // the runner's own once done is closed: the last write has told the cell that its run has ended
}

func newOutputWriter(d *Document, r *Run) *outputWriter {
	w := &outputWriter{d: d, r: r, wake: make(chan struct{}, 1), over: make(chan struct{}), done: make(chan struct{})}
	w.outs.run, w.outs.spools = r.ID, &d.m.spools
	w.room = sync.NewCond(&w.mu)
	go w.write()
	return w
}

// handle takes one event of the kernel.
func (w *outputWriter) handle(ev kernel.Event) {
	if st, ok := ev.(kernel.Status); ok && st.State == kernel.StateBusy && w.r.take() {
		w.d.interruptLate()
	}
	w.mu.Lock()
	for w.outs.waiting > waitingMax && !w.ended {
		w.room.Wait()
	}
	w.outs.add(ev)
	w.mu.Unlock()
	w.signal()
}

// note writes a line of our own.
func (w *outputWriter) note(text string) {
	w.mu.Lock()
	w.outs.note(text)
	w.mu.Unlock()
	w.signal()
}

// tell puts what the run has put out so far into res.
func (w *outputWriter) tell(res *Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cell != nil {
		res.Outputs, res.Count = w.cell, w.outs.count
		return
	}
	res.Outputs, res.Count, res.Dropped, res.Omitted = w.outs.remembered(), w.outs.count, w.outs.dropped, w.outs.omitted
	res.left = w.outs.leftOut()
}

// leftOut is where the text is that the cell does not get.
func (w *outputWriter) leftOut() leftOut {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outs.leftOut()
}

// count is the execution count, once the kernel has given it.
func (w *outputWriter) count() *int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outs.count
}

// shown is what the run has displayed that can be updated later.
func (w *outputWriter) shown() map[string][]place {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outs.shown(w.r.CellID)
}

func (w *outputWriter) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// finish writes what is left, without waiting for the next time to write, and
// waits until it is in the room, or until that has failed.
func (w *outputWriter) finish() {
	w.mu.Lock()
	w.outs.sayOmitted()
	w.ended = true
	w.mu.Unlock()
	close(w.over)
	w.signal()
	<-w.done
}

func (w *outputWriter) write() {
	defer close(w.done)
	pause := writeEvery
	for range w.wake {
		for {
			w.mu.Lock()
			ended := w.ended
			pending := w.outs.pending()
			added, all, rewrite := w.outs.take()
			updates := w.outs.takeUpdates()
			w.room.Broadcast()
			w.mu.Unlock()
			if pending && w.flush(added, all, rewrite, ended) {
				pause = writeEvery
			} else if pending {
				// The cell may hold some of it or none; the next write brings
				// all.
				w.mu.Lock()
				w.outs.rewriteAll()
				w.mu.Unlock()
				pause = min(2*pause, writeRetryMax)
			}
			w.elsewhere(updates)
			if ended {
				return
			}
			if !pending && len(updates) == 0 {
				break
			}
			rest := time.NewTimer(pause)
			select {
			case <-w.d.ctx.Done():
			case <-w.over:
			case <-rest.C:
			}
			rest.Stop()
		}
	}
}

// flush makes one edit of what waits. The last one also tells the cell that its
// run has ended, behind the output, where it is we who do.
func (w *outputWriter) flush(added []change, all []ydoc.Output, rewrite, last bool) bool {
	id := w.r.CellID
	if _, ok := w.d.Notebook().Index(id); !ok {
		return true // somebody has deleted the cell: the run keeps its outputs
	}
	ctx, stop := context.WithTimeout(w.d.ctx, writeTimeout)
	defer stop()
	last = last && !w.leave && !w.d.current().documents
	err := w.d.Edit(ctx, "output", func(e *ydoc.Editor) error {
		if err := stageOutputs(e, id, added, all, rewrite); err != nil || !last {
			return err
		}
		return e.FinishRun(id, w.count())
	})
	w.told = last && err == nil
	if err != nil {
		w.d.m.log.Warn("output could not be written to the notebook", "path", w.d.Path(), "run", w.r.ID, "error", err)
	}
	return err == nil
}

func stageOutputs(e *ydoc.Editor, id string, added []change, all []ydoc.Output, rewrite bool) error {
	if rewrite {
		return e.SetOutputs(id, all)
	}
	for _, c := range added {
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

// elsewhere updates displays of other cells.
func (w *outputWriter) elsewhere(updates map[string]kernel.Display) {
	for id, up := range updates {
		ctx, stop := context.WithTimeout(w.d.ctx, writeTimeout)
		err := w.d.displays.update(ctx, w.d, id, up)
		stop()
		if err != nil {
			w.d.m.log.Warn("a display in another cell could not be updated", "path", w.d.Path(), "run", w.r.ID, "error", err)
		}
	}
}
