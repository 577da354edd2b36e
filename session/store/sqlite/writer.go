package sqlite

import (
	"context"
	"sync"
	"time"
)

const (
	// writeEvery is the shortest time between two writes, and retryEvery the pause after a failed one.
	writeEvery = time.Second
	retryEvery = 10 * time.Second
	// beatEvery is how often Beat is called.
	beatEvery = 30 * time.Second
	// Timeout bounds one use of a database, which another process may hold.
	Timeout = 10 * time.Second
)

// A Writer writes to a database in the background: once after [Writer.Wake], and again after a failure. Start and Stop it; the
// other methods are safe for concurrent use.
type Writer struct {
	// Flush writes everything that waits.
	Flush func(context.Context) error
	// Beat is called regularly before Flush; nil for nothing.
	Beat func(now time.Time)
	// Failed is called at the first failure, and Works at the recovery.
	Failed func(error)
	Works  func()

	wake    chan struct{}
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	failed bool
}

// Start starts the writer.
func (w *Writer) Start() {
	w.wake = make(chan struct{}, 1)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.running.Go(w.run)
}

// Stop ends the writer and waits for its end. It does not write the rest.
func (w *Writer) Stop() {
	w.cancel()
	w.running.Wait()
}

// Wake makes the writer write soon.
func (w *Writer) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *Writer) run() {
	var beat <-chan time.Time
	if w.Beat != nil {
		ticker := time.NewTicker(beatEvery)
		defer ticker.Stop()
		beat = ticker.C
	}
	for {
		select {
		case <-w.ctx.Done():
			return
		case now := <-beat:
			w.Beat(now)
		case <-w.wake:
		}
		ctx, cancel := context.WithTimeout(w.ctx, Timeout)
		err := w.Flush(ctx)
		cancel()
		pause := writeEvery
		if w.Report(err) {
			pause = retryEvery
			w.Wake() // try the rest again
		}
		select {
		case <-w.ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Report reports whether a use of the database failed, and calls Failed or Works if that has changed.
func (w *Writer) Report(err error) (failed bool) {
	if w.ctx.Err() != nil {
		return false // the owner writes the rest
	}
	w.mu.Lock()
	before := w.failed
	w.failed = err != nil
	w.mu.Unlock()
	switch {
	case err != nil && !before:
		w.Failed(err)
	case err == nil && before:
		w.Works()
	}
	return err != nil
}
