package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/nbformat"
	"github.com/nbduet/nbduet/ydoc"
)

// witness keeps what a document has been like since it began, for whoever leaves while others edit. Each of their edits
// breaks off the save under way: the file is written all the same, but the server does not put its hash into the
// document. A file that is what the document was once since then has all that was edited before, whoever has written
// it.
//
// States that come too fast to be seen one by one are missed; then another look has to find the file in one of those
// that were seen.
type witness struct {
	nb      *ydoc.Notebook // nil for a text
	text    *ydoc.Text     // nil for a notebook
	changes *ydoc.Subscription
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu     sync.Mutex
	states map[[sha256.Size]byte]bool
}

// newWitness begins to watch a document, either a notebook or a text; end it.
func newWitness(nb *ydoc.Notebook, text *ydoc.Text) *witness {
	w := &witness{nb: nb, text: text, states: make(map[[sha256.Size]byte]bool)}
	if text != nil {
		w.changes = text.Subscribe()
	} else {
		w.changes = nb.Subscribe()
	}
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

func (w *witness) end() {
	w.cancel()
	w.wg.Wait()
	w.changes.Close()
}

// note keeps what the document is like now. A notebook that cannot be written as JSON is in no file.
func (w *witness) note() {
	var state []byte
	if w.text != nil {
		state = []byte(w.text.String())
	} else {
		var err error
		if state, err = json.Marshal(nbformat.Of(w.nb)); err != nil {
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.states[sha256.Sum256(state)] = true
}

// recognizes reports whether a file, with its content, is what the document has been like. A file that is just being
// written is not.
func (w *witness) recognizes(file jupyter.Content) bool {
	var state []byte
	if w.text != nil {
		text, err := plainText(file.Content)
		if err != nil {
			return false
		}
		state = []byte(text)
	} else {
		var err error
		if state, err = nbformat.Plain(file.Content); err != nil {
			return false
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[sha256.Sum256(state)]
}
