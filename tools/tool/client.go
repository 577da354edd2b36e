package tool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// A Client is one MCP client while it is connected. Everything that it created and received is kept under its name: analysis
// sessions, runs, images, and the revisions of cells. No other client sees it. Documents are shared.
//
// A transport that serves several clients makes a Client for each, and puts it into the context of each request, see
// [WithClient]. Without one, mcp-go's session names the client: stdio has one session.
//
// It is safe for concurrent use.
type Client struct {
	all  *Clients
	Name string
	gone context.Context // ends when the client leaves

	dismiss context.CancelFunc

	mu      sync.Mutex
	left    bool
	calling int
	calls   sync.WaitGroup
}

// maxCalling bounds the calls of one HTTP client that run at once. It exceeds the number that wait for cells, as each waits
// for an answer.
const maxCalling = 200

// Clients creates clients for the server that [tools.New] has made with it. The zero value is ready for use.
type Clients struct {
	Free  func(ctx context.Context, client string) error // set by New
	Calls Calls                                          // in progress
}

// errLeft is the cause with which a client's calls end when it leaves.
var errLeft = errors.New("the client has left")

// Enter returns a client with a new name.
func (all *Clients) Enter() *Client {
	// The name is part of images' addresses, so it is not secret, and does not reveal the transport's session id.
	c := &Client{all: all, Name: "c-" + strings.ToLower(rand.Text()[:12])}
	c.gone, c.dismiss = context.WithCancel(context.Background())
	return c
}

// Leave ends a client: its calls, its analysis sessions (as session_delete does), and everything kept under its name. The
// error says what may not have ended. The context bounds the wait. Only the first call has an effect.
func (c *Client) Leave(ctx context.Context) error {
	c.mu.Lock()
	left := c.left
	c.left = true
	c.mu.Unlock()
	if left {
		return nil
	}
	c.dismiss()
	ended := make(chan struct{})
	go func() {
		c.calls.Wait() // already cancelled
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	if c.all.Free == nil {
		return nil
	}
	return c.all.Free(ctx, c.Name)
}

// Dismiss cancels the client's calls, present and future. The client keeps its sessions, runs and images.
func (c *Client) Dismiss() { c.dismiss() }

// Stay returns a context that ends when the client leaves or is dismissed.
func (c *Client) Stay() context.Context { return c.gone }

// begin counts a call of the client, and ends its context when the client leaves.
func (c *Client) begin(ctx context.Context) (bound context.Context, end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left || c.gone.Err() != nil:
		return nil, nil, errLeft
	case c.calling >= maxCalling:
		return nil, nil, fmt.Errorf("this client has %d calls running, the maximum: wait for one to end", maxCalling)
	}
	c.calling++
	c.calls.Add(1)
	bound, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.gone, func() { cancel(errLeft) })
	return bound, func() {
		stop()
		cancel(nil)
		c.mu.Lock()
		c.calling--
		c.mu.Unlock()
		c.calls.Done()
	}, nil
}

type clientKey struct{}

// WithClient returns a context with the calling client.
func WithClient(ctx context.Context, c *Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientIn returns the client that a transport put into the context, or nil.
func ClientIn(ctx context.Context) *Client {
	c, _ := ctx.Value(clientKey{}).(*Client)
	return c
}

// AsClient ends a call's context when its client leaves, if the transport set a client.
func AsClient(ctx context.Context) (bound context.Context, end func(), err error) {
	if c := ClientIn(ctx); c != nil {
		return c.begin(ctx)
	}
	return ctx, func() {}, nil
}

// ClientOf returns the name of the calling client.
func ClientOf(ctx context.Context) string {
	if c := ClientIn(ctx); c != nil {
		return c.Name
	}
	if s := server.ClientSessionFromContext(ctx); s != nil {
		return s.SessionID()
	}
	return ""
}

// OwnerOf returns the name of the calling client in records that outlast its session. A client that starts this program itself
// keeps its name; a client over the network has a new one in each session.
func OwnerOf(ctx context.Context) string {
	if c := ClientIn(ctx); c != nil {
		return c.Name
	}
	return "local " + InfoOf(ctx).Name
}
