package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/serve"
	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
	"github.com/nbduet/nbduet/tools/tool"
)

// maxCalls is the number of the client's tool calls served at once.
const maxCalls = 1000

// Reading a long call takes several times its length in memory, so only some of them are served at once.
const (
	longCall = 1 << 20  // the size in bytes from which a call is long
	mostLong = 16 << 20 // bytes of long calls at once; one alone may be longer
	// longWait is how long the next long call waits for the others. No other message is read meanwhile.
	longWait = 10 * time.Second
)

// callServer serves the tool calls of standard input, each in a goroutine. mcp-go has at most a hundred workers for them: as
// many calls that wait for cells would block all others, and when its queue is full it stops reading, even cancellations.
type callServer struct {
	mcp     *server.MCPServer
	out     *output
	trimmer serve.Trimmer
	serving sync.WaitGroup
	turns   tool.Turns
	encode  chan struct{} // holds a value for each answer that is being encoded and written

	mu     sync.Mutex
	ctx    context.Context // of mcp-go's session; set before the first message is read
	cancel context.CancelFunc
	open   int
	long   int           // bytes of long calls
	freed  chan struct{} // closed when a long call has been served, if another waits for that
	end    bool
}

// newCallServer returns a server that encodes as many answers at once as there are CPUs. An encoded answer that waits for
// the output holds a large text, so further answers wait before they are encoded.
func newCallServer(mcp *server.MCPServer, out *output) *callServer {
	return &callServer{mcp: mcp, out: out, encode: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// bind sets the context; mcp-go calls it when its session begins.
func (c *callServer) bind(ctx context.Context) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx, c.cancel = context.WithCancel(ctx)
	if c.end {
		c.cancel()
	}
	return ctx
}

// serve serves a call. It returns at once, unless a long call has to wait.
func (c *callServer) serve(text []byte, id json.RawMessage) {
	fits := c.enter(len(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.end:
	case !fits:
		c.refuse(id, fmt.Sprintf("%d MB of calls are being served, the most at a time: wait for answers, or send less at once", mostLong>>20))
	case c.open >= maxCalls:
		c.leave(len(text))
		c.refuse(id, fmt.Sprintf("%d calls are being served, the most at a time: wait for answers", maxCalls))
	default:
		c.open++
		turn := c.turns.Arrive()
		ctx := tool.WithTurn(c.ctx, turn)
		c.serving.Go(func() {
			defer turn.End()
			c.answer(ctx, text, id)
			c.mu.Lock()
			c.open--
			c.leave(len(text))
			c.mu.Unlock()
			c.trimmer.Served(len(text))
		})
	}
}

// refuse answers a call with an error. The caller holds mu and has checked that the server has not ended.
func (c *callServer) refuse(id json.RawMessage, why string) {
	c.serving.Go(func() {
		_, _ = c.out.Write(append(jsonrpc.Failure(id, mcp.INTERNAL_ERROR, why), '\n')) // the client may be gone
	})
}

// enter waits until a long call may be served, and reports whether it may.
func (c *callServer) enter(bytes int) bool {
	if bytes < longCall {
		return true
	}
	late := time.NewTimer(longWait)
	defer late.Stop()
	for waited := false; ; waited = true {
		c.mu.Lock()
		if c.end || c.long == 0 || c.long+bytes <= mostLong {
			c.long += bytes
			c.mu.Unlock()
			if waited {
				runtime.GC() // a collector that lags would keep the calls before this one in memory
			}
			return true
		}
		if c.freed == nil {
			c.freed = make(chan struct{})
		}
		freed, ctx := c.freed, c.ctx
		c.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return false
		case <-late.C:
			return false
		}
	}
}

// leave releases the bytes of a call. The caller holds mu.
func (c *callServer) leave(bytes int) {
	if bytes < longCall {
		return
	}
	if c.long -= bytes; c.freed != nil {
		close(c.freed)
		c.freed = nil
	}
}

func (c *callServer) answer(ctx context.Context, text []byte, id json.RawMessage) {
	message := c.mcp.HandleMessage(ctx, text)
	c.encode <- struct{}{}
	defer func() { <-c.encode }()
	if failed(c.out) {
		return
	}
	b := jsonrpc.AnswerText(message, id)
	_, _ = c.out.Write(append(b, '\n')) // a disconnected client needs no answer
}

// close cancels the calls and stops accepting new ones. The channel is closed when they have ended.
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
