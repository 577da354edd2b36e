package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// Notifications bypass mcp-go's queues, which lose some, see [tool.Notifiers]: those of a request go onto the stream of its
// answer, the others of a session onto a stream that its client has opened with GET.

const eventsType = "text/event-stream"

// event returns a message in the form of an event.
func event(message []byte) []byte {
	return append(append([]byte("event: message\ndata: "), bytes.TrimSpace(message)...), "\n\n"...)
}

// Notify sends a notification before the answer, which becomes a stream of events. It implements tool.Notifier.
func (w *writer) Notify(n mcp.JSONRPCNotification) bool {
	b, err := json.Marshal(n)
	if err != nil {
		return false // a value cannot be encoded
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := w.ResponseWriter.Header()
	switch {
	case w.ended || w.answered:
		return false
	case w.status == 0:
		sent.Set("Content-Type", eventsType)
		w.begin(http.StatusOK, nil)
		w.events = true
	case w.status != http.StatusOK || sent.Get("Content-Type") != eventsType:
		return false
	default:
		w.begin(http.StatusOK, nil)
	}
	if _, err := w.ResponseWriter.Write(w.ids.Out(event(b))); err != nil {
		return false
	}
	return w.ctl.Flush() == nil
}

// framed returns a handler's output, as an event if it is the JSON answer and the answer has become a stream. w.mu is held.
func (w *writer) framed(p []byte) []byte {
	if !w.acked && bytes.Contains(p, []byte(mcp.MethodNotificationSubscriptionsAcknowledged)) {
		w.acked = true
		close(w.ack)
	}
	if !strings.HasPrefix(w.header.Get("Content-Type"), "application/json") {
		return p
	}
	w.answered = true
	if !w.events {
		return p
	}
	return event(p)
}

// Acknowledged implements tool.Acknowledger.
func (w *writer) Acknowledged(ctx context.Context) {
	select {
	case <-w.ack:
	case <-ctx.Done():
	}
}
