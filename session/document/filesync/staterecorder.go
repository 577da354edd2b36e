package filesync

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// stateRecorder records hashes of a document's states since it began, for leaving a room while others edit. Each of their edits
// aborts the save in progress: the file is still written, but the server does not put its hash into the document. A file
// with one of the recorded states has all edits from before the stateRecorder began, regardless of who wrote it.
//
// States that follow each other too fast are missed; then a later look must find a file with a recorded state.
type stateRecorder struct {
	of      Joined
	changes *ydoc.Subscription
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu     sync.Mutex
	states map[[sha256.Size]byte]bool
}

// recordStates starts to watch a replica; call end after use.
func recordStates(j Joined) *stateRecorder {
	w := &stateRecorder{of: j, changes: j.replica().Subscribe(), states: make(map[[sha256.Size]byte]bool)}
	w.note()
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.wg.Go(func() {
		for {
			if _, err := w.changes.Next(ctx); err != nil {
				return // it has ended, or the document is broken
			}
			w.note()
		}
	})
	return w
}

func (w *stateRecorder) end() {
	w.cancel()
	w.wg.Wait()
	w.changes.Close()
}

// note records the document's current state. A notebook that cannot be written as JSON cannot be in a file.
func (w *stateRecorder) note() {
	state, err := json.Marshal(w.of.content())
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.states[sha256.Sum256(state)] = true
}

// recognizes reports whether a file's content is a recorded state. The content of a partly written file is not.
func (w *stateRecorder) recognizes(file jupyter.Content) bool {
	state, err := w.of.inFile(file)
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[sha256.Sum256(state)]
}
