package main

import (
	"io"
	"sync"

	"github.com/nbduet/nbduet/tools/jsonrpc"
)

// output is standard output. Each write is whole messages, and several goroutines write: mcp-go's answers and
// notifications, its requests, and the refusals of input.
type output struct {
	ids *jsonrpc.IDs

	mu sync.Mutex
	w  io.Writer
}

// Write writes messages, with the ids as the client has sent them.
func (o *output) Write(p []byte) (int, error) {
	text := o.ids.Out(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}
