package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/nbduet/nbduet/tools/jsonrpc"
)

// maxUnread bounds the messages that wait for a client to read, in bytes. Each waits with the goroutine that writes it,
// and a client that goes on asking makes more of them.
const maxUnread = 64 << 20

var errUnread = fmt.Errorf("the client does not read its answers: more than %d bytes wait", maxUnread)

// output is standard output. Each write is whole messages, and several goroutines write: mcp-go's answers and
// notifications, its requests, and the refusals of input.
type output struct {
	ids *jsonrpc.IDs

	waiting atomic.Int64  // bytes
	once    sync.Once     // closes unread
	unread  chan struct{} // closed when more than maxUnread bytes wait; then the client is let go

	mu sync.Mutex
	w  io.Writer
}

func newOutput(w io.Writer) *output {
	return &output{ids: jsonrpc.NewIDs(), unread: make(chan struct{}), w: w}
}

// Write writes messages, with the ids as the client has sent them.
func (o *output) Write(p []byte) (int, error) {
	text := o.ids.Out(p)
	size := int64(len(text))
	defer o.waiting.Add(-size)
	if o.waiting.Add(size) > maxUnread+size { // one message alone does not wait for others
		o.once.Do(func() { close(o.unread) })
	}
	select {
	case <-o.unread:
		return 0, errUnread
	default:
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}
