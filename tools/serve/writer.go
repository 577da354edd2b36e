package serve

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/nbduet/nbduet/tools/jsonrpc"
)

// A writer gives each write its own deadline. A server's write timeout would end streams, and without a deadline a
// client that does not read holds a request for ever.
type writer struct {
	http.ResponseWriter
	ids   *jsonrpc.IDs // of the requests
	ctl   *http.ResponseController
	limit time.Duration
	from  *http.Request // set once its page may read the answer

	mu     sync.Mutex // writes and comments of a stream come from two goroutines
	status int        // 0 before the header is written
	last   time.Time  // of the last write
}

func newWriter(w http.ResponseWriter, ids *jsonrpc.IDs, limit time.Duration) *writer {
	return &writer{ResponseWriter: w, ids: ids, ctl: http.NewResponseController(w), limit: limit}
}

// Unwrap is for [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader writes the header.
func (w *writer) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(status)
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(http.StatusOK)
	if _, err := w.ResponseWriter.Write(w.ids.Out(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush sends what was written.
func (w *writer) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(http.StatusOK)
	_ = w.ctl.Flush() // the next write says what is wrong
}

// begin prepares a write. w.mu is held.
func (w *writer) begin(status int) {
	w.last = time.Now()
	_ = w.ctl.SetWriteDeadline(w.last.Add(w.limit)) // the recorder of tests has none
	if w.status == 0 {
		w.status = status
		h := w.Header()
		h.Del("Access-Control-Allow-Origin") // mcp-go's event streams set it for everybody
		if w.from != nil {
			allowReading(h, w.from)
		}
		h.Set("X-Content-Type-Options", "nosniff")
		if h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", "no-store")
		}
		w.ResponseWriter.WriteHeader(status)
	}
}

// end gives the unsent rest its time.
func (w *writer) end() {
	_ = w.ctl.SetWriteDeadline(time.Now().Add(w.limit))
}

// comment writes a comment into a stream of events that has been quiet for that long. Its error is the connection's.
func (w *writer) comment(quiet time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status != http.StatusOK || time.Since(w.last) < quiet {
		return nil
	}
	w.begin(http.StatusOK)
	if _, err := w.ResponseWriter.Write([]byte(": still here\n\n")); err != nil {
		return err
	}
	return w.ctl.Flush()
}

// keepAlive writes comments into a quiet stream of events, so that proxies do not take it for dead, and we notice when
// it is: then it calls lost. It ends with ctx, and closes done. Each event is one write, so comments stand between
// events.
func (w *writer) keepAlive(ctx context.Context, quiet time.Duration, lost func()) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(quiet)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if w.comment(quiet) != nil {
				lost()
				return
			}
		}
	}()
	return ended
}
