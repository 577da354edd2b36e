package serve

import (
	"bufio"
	"context"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
)

// pieceSize is the number of bytes that a client has to read within the time for a write.
const pieceSize = 64 << 10

// A writer gives each write its own deadline. A server's write timeout would end streams, and without a deadline a client
// that does not read would hold a request forever.
type writer struct {
	http.ResponseWriter
	ids   *jsonrpc.IDs // of the requests
	ctl   *http.ResponseController
	limit time.Duration
	from  *http.Request // set once its page may read the answer

	header http.Header   // set by the handler
	begun  chan struct{} // closed when the header is written
	ack    chan struct{} // closed with acked

	mu       sync.Mutex // several goroutines write answers, comments and notifications
	status   int        // 0 before the header is written
	last     time.Time  // of the last write
	events   bool       // notifications have made the answer a stream of events
	answered bool       // the answer has begun
	acked    bool       // the acknowledgement of a listening request is written
	ended    bool       // the handler has returned
}

func newWriter(w http.ResponseWriter, ids *jsonrpc.IDs, limit time.Duration) *writer {
	return &writer{ResponseWriter: w, ids: ids, ctl: http.NewResponseController(w), limit: limit, header: http.Header{}, begun: make(chan struct{}), ack: make(chan struct{})}
}

// Hijack hands the connection over to a WebSocket. It implements http.Hijacker.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status != 0 {
		return nil, nil, http.ErrHijacked
	}
	conn, rw, err := w.ctl.Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
		close(w.begun)
	}
	return conn, rw, err
}

// Unwrap is for [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Header returns the handler's header. It differs from the written header, because a notification may be sent while the
// handler sets it.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader writes the header.
func (w *writer) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(status, w.header)
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(http.StatusOK, w.header)
	for piece := range slices.Chunk(w.ids.Out(w.framed(p)), pieceSize) {
		// A long answer has time however slowly it is read, as long as the client reads.
		_ = w.ctl.SetWriteDeadline(time.Now().Add(w.limit))
		if _, err := w.ResponseWriter.Write(piece); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush sends the written data.
func (w *writer) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(http.StatusOK, w.header)
	_ = w.ctl.Flush() // the next write reports the error
}

// begin prepares a write; before the first one it writes the header, with the fields of set. w.mu is held.
func (w *writer) begin(status int, set http.Header) {
	w.last = time.Now()
	_ = w.ctl.SetWriteDeadline(w.last.Add(w.limit)) // the recorder of tests has no deadlines
	if w.status == 0 {
		w.status = status
		close(w.begun)
		h := w.ResponseWriter.Header()
		maps.Copy(h, set)
		h.Del("Access-Control-Allow-Origin") // mcp-go's event streams allow every origin
		if w.from != nil {
			AllowReading(h, w.from)
		}
		h.Set("X-Content-Type-Options", "nosniff")
		if h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", "no-store")
		}
		w.ResponseWriter.WriteHeader(status)
	}
}

// end sets a deadline for the unsent rest.
func (w *writer) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(http.StatusOK, w.header) // a handler that writes nothing means status 200
	w.ended = true
	_ = w.ctl.SetWriteDeadline(time.Now().Add(w.limit))
}

// comment writes a comment into a stream of events that has been quiet for that long. It returns the connection's error.
func (w *writer) comment(quiet time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status != http.StatusOK || time.Since(w.last) < quiet {
		return nil
	}
	w.begin(http.StatusOK, nil)
	if _, err := w.ResponseWriter.Write([]byte(": still here\n\n")); err != nil {
		return err
	}
	return w.ctl.Flush()
}

// keepAlive writes the waiting notifications into a stream of events, and comments if it is quiet, so that proxies keep it
// open and a dead connection is noticed: then it calls lost. It ends with ctx, and closes done. Each event is one write, so
// comments and notifications come between events.
func (w *writer) keepAlive(ctx context.Context, waiting chan mcp.JSONRPCNotification, quiet time.Duration, lost func()) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-w.begun: // the handler has accepted the stream
		case <-ctx.Done():
			return
		}
		tick := time.NewTicker(quiet)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case n := <-waiting:
				if !w.Notify(n) {
					select {
					case waiting <- n: // another stream may take it
					default:
					}
					lost()
					return
				}
			case <-tick.C:
				if w.comment(quiet) != nil {
					lost()
					return
				}
			}
		}
	}()
	return ended
}

// Notifications bypass mcp-go's queues, which lose some, see [tool.Notifiers]: those of a request go onto the stream of its
// answer, the others of a session onto a stream that its client has opened with GET.
