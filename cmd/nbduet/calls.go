package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/jsonrpc"
	"github.com/nbduet/nbduet/tools/serve"
)

// maxCalls is how many tool calls of the client are served at once.
const maxCalls = 1000

// callServer serves the tool calls of standard input, each in a goroutine. mcp-go has a hundred workers for them at
// most: as many calls that wait for cells keep all others waiting, and when its queue is full, it reads nothing more,
// not even that calls are cancelled.
type callServer struct {
	mcp     *server.MCPServer
	out     *output
	trimmer serve.Trimmer
	serving sync.WaitGroup

	mu     sync.Mutex
	ctx    context.Context // of mcp-go's session; set before the first message is read
	cancel context.CancelFunc
	open   int
	end    bool
}

// bind is what mcp-go calls when its session begins.
func (c *callServer) bind(ctx context.Context) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx, c.cancel = context.WithCancel(ctx)
	if c.end {
		c.cancel()
	}
	return ctx
}

// serve serves a call. It returns at once.
func (c *callServer) serve(text []byte, id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.end:
	case c.open >= maxCalls:
		why := fmt.Sprintf("%d calls are being served, the most at a time: wait for answers", maxCalls)
		c.serving.Go(func() {
			_, _ = c.out.Write(append(jsonrpc.Failure(id, mcp.INTERNAL_ERROR, why), '\n')) // a client that has gone needs no answer
		})
	default:
		c.open++
		ctx := c.ctx
		c.serving.Go(func() {
			c.answer(ctx, text, id)
			c.mu.Lock()
			c.open--
			c.mu.Unlock()
			c.trimmer.Served(len(text))
		})
	}
}

func (c *callServer) answer(ctx context.Context, text []byte, id json.RawMessage) {
	answer := c.mcp.HandleMessage(ctx, text)
	b, err := json.Marshal(answer)
	if err != nil {
		b = jsonrpc.Failure(id, mcp.INTERNAL_ERROR, "the answer is not JSON")
	}
	_, _ = c.out.Write(append(b, '\n')) // a client that has gone needs no answer
}

// close cancels the calls, and accepts no more. The channel is closed when they have ended.
func (c *callServer) close() <-chan struct{} {
	c.mu.Lock()
	c.end = true
	if c.cancel != nil {
		c.cancel()
	}
	c.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		c.serving.Wait()
		c.trimmer.Close()
		close(ended)
	}()
	return ended
}
