package socket

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
	"github.com/nbduet/nbduet/tools/tool"
)

// Limits bound the resources of one client.
type Limits struct {
	Message     int64         // bytes of a message
	MessageTime time.Duration // to receive the whole message, once it has begun
	Unread      int           // bytes of queued messages
	WriteTime   time.Duration // for the client to read a write
	Quiet       time.Duration // between two pings
	Lost        time.Duration // without a pong or a message after which the client is considered gone
	Linger      time.Duration // for calls to end, and then for the client to get the reason, when we close it
	Drain       time.Duration // the same when the server ends
}

// Config configures a connection.
type Config struct {
	MCP     *server.MCPServer
	Calls   *tool.Calls
	IDs     *jsonrpc.IDs
	Session string // the id of its MCP session
	Limits  Limits
	Log     *slog.Logger

	// Known returns an error if the client may no longer send messages; its token may have expired. It is called before each
	// message. wait means that the client may be allowed again later.
	Known func() (wait bool, err error)
	// Admit counts a request until end is called. why is the reason if it cannot be served now.
	Admit func() (end func(), why string)
	// Room waits until the given number of bytes of a message may be read; back releases them. why is the reason if they may
	// not.
	Room func(ctx context.Context, bytes int64) (back func(), why string)
	// Served is called with the length of each served message.
	Served func(bytes int)
}

// A Conn is a connection with a client.
type Conn struct {
	ws      *websocket.Conn
	cfg     Config
	in      *inbox
	out     *outbox
	peer    *peer
	serving sync.WaitGroup // requests
}

// Close closes a connection that is not being served.
func (c *Conn) Close() { c.ws.Close() }

// Serve serves the connection until it or ctx ends; ctx has the connection's client. Its calls end with it: with
// [tool.ErrDisconnected], which leaves the code that they have started running, or with the cause of ctx.
func (c *Conn) Serve(ctx context.Context, cfg Config) {
	c.cfg = cfg
	c.out = newOutbox(c.ws, cfg.Limits)
	c.in = newInbox(c.ws, cfg.Limits, cfg.Room)
	c.peer = newPeer(cfg.Session, c.out)
	go c.out.run()
	defer context.AfterFunc(ctx, c.in.stop)()

	calls, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	calls = cfg.MCP.WithContext(calls, c.peer)
	calls = tool.WithNotifiers(calls, tool.Notifiers{Request: c.peer, Session: c.peer})
	err := cfg.MCP.RegisterSession(calls, c.peer)
	if err == nil {
		defer cfg.MCP.UnregisterSession(context.WithoutCancel(calls), cfg.Session)
		err = c.read(calls)
	}
	most := cfg.Limits.Linger
	if ctx.Err() != nil {
		most = cfg.Limits.Drain
		err = &closing{websocket.CloseGoingAway, "the server ends this session"}
	}
	cfg.Log.Debug("a WebSocket ends", "why", err)
	close(c.peer.gone)
	cancel(tool.ErrDisconnected)
	c.end(err, most)
	c.serving.Wait()
}

// read handles the client's messages until the connection ends.
func (c *Conn) read(ctx context.Context) error {
	for {
		c.out.clear()
		m, err := c.in.next(ctx)
		if err != nil {
			return err
		}
		if wait, err := c.cfg.Known(); err != nil {
			m.back()
			code := lo.Ternary(wait, websocket.CloseTryAgainLater, websocket.ClosePolicyViolation)
			return &closing{code, err.Error()}
		}
		if m.why != "" {
			c.send(jsonrpc.Failure(m.id, mcp.INTERNAL_ERROR, m.why))
			continue
		}
		c.take(ctx, m)
	}
}

// end closes the connection. A client that is still connected gets the reason, after the answers of the calls that end in
// time. Each step takes most at most.
func (c *Conn) end(why error, most time.Duration) {
	var tell *closing
	if !errors.As(why, &tell) {
		c.ws.Close()
		c.out.end(&closing{})
		<-c.out.done
		return
	}
	served := make(chan struct{})
	go func() { // ends before Serve does
		defer close(served)
		c.serving.Wait()
	}()
	wait(served, most)
	c.out.end(tell)
	if wait(c.out.done, most) { // otherwise a write waits for a client that does not read
		c.linger(most)
	}
	c.ws.Close()
	<-c.out.done
	<-served
}

// wait waits until the channel is closed, at most for most, and reports whether it was closed.
func wait(done <-chan struct{}, most time.Duration) bool {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-late.C:
		return false
	}
}

// linger continues to read for a moment: a connection that is closed with unread bytes is reset, and its client, still
// sending, may never see the reason.
func (c *Conn) linger(most time.Duration) {
	raw := c.ws.NetConn()
	if half, ok := raw.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = raw.SetReadDeadline(time.Now().Add(most))
	_, _ = io.Copy(io.Discard, raw) // its error does not matter
}

// take serves a message.
func (c *Conn) take(ctx context.Context, from message) {
	served := func() {
		from.back()
		c.cfg.Served(len(from.text))
	}
	m, ok := jsonrpc.Read(from.text)
	if !ok {
		c.answer(ctx, from.text, nil) // mcp-go reports the error
		served()
		return
	}
	why, id := m.Wrong()
	switch {
	case why != "":
		c.send(jsonrpc.Failure(id, mcp.INVALID_REQUEST, why))
	case m.Answer():
		c.peer.answered(m)
	case m.ID == nil:
		c.notice(ctx, c.cfg.IDs.In(from.text, m), m)
	case m.Is(mcp.MethodInitialize): // before the following messages
		c.answer(ctx, c.cfg.IDs.In(from.text, m), m.ID)
	default:
		end, why := c.cfg.Admit()
		if why != "" {
			c.send(jsonrpc.Failure(m.ID, mcp.INTERNAL_ERROR, why))
			break
		}
		c.serving.Go(func() {
			defer served()
			defer end()
			c.answer(ctx, c.cfg.IDs.In(from.text, m), m.ID)
		})
		return
	}
	served()
}

// notice handles a notification.
func (c *Conn) notice(ctx context.Context, text []byte, m jsonrpc.Message) {
	if m.Is(mcp.MethodNotificationCancelled) {
		if cancelled, ok := jsonrpc.ReadCancellation(text); ok {
			c.cfg.Calls.Cancel(c.cfg.Session, cancelled.ID, cancelled.Reason)
		}
	}
	c.answer(ctx, text, nil)
}

// answer passes a message to mcp-go, and sends the answer, if any.
func (c *Conn) answer(ctx context.Context, text []byte, id json.RawMessage) {
	defer func() {
		if broken := recover(); broken != nil { // as net/http recovers in its handlers
			c.cfg.Log.Error("a message could not be served", "panic", broken, "stack", string(debug.Stack()))
			c.send(jsonrpc.Failure(id, mcp.INTERNAL_ERROR, "internal error"))
		}
	}()
	if answer := c.cfg.MCP.HandleMessage(ctx, text); answer != nil {
		c.send(jsonrpc.AnswerText(answer, id))
	}
}

// send sends a message. It ignores the error of a closed connection.
func (c *Conn) send(text []byte) { _ = c.out.send(c.cfg.IDs.Out(text)) }
