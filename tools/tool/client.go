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

// A Client is one MCP client, for as long as it is there. What it has made and was shown is kept under its name:
// analysis sessions, runs, images, and the revisions of cells; no other client finds any of it. Documents are shared.
//
// A transport that serves several clients makes one for each, and puts it into the context of all that the client
// asks, see [WithClient]. Where there is none, the client is named by mcp-go's session: stdio has one.
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

// maxCalling is how many calls of one client are served at once, as over stdio.
const maxCalling = 100

// Clients makes clients, for one server that [tools.New] has made with them. The zero value is ready for use.
type Clients struct {
	Free func(ctx context.Context, client string) error // set by New
}

// errLeft is why a client's calls end when it leaves.
var errLeft = errors.New("the client has left")

// Enter makes a client that nobody else is.
func (all *Clients) Enter() *Client {
	// The name is in addresses of images, so it is no secret, and says nothing of the transport's session id.
	c := &Client{all: all, Name: "c-" + strings.ToLower(rand.Text()[:12])}
	c.gone, c.dismiss = context.WithCancel(context.Background())
	return c
}

// Leave ends a client: its calls, its analysis sessions, as session_delete does, and all that is kept under its name.
// The error says what may not have ended. The context bounds the wait. All but the first call do nothing.
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
		c.calls.Wait() // they have been cancelled
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

// Dismiss cancels the client's calls, and all that come. What it has is left to it.
func (c *Client) Dismiss() { c.dismiss() }

// Stay is a context that ends when the client leaves or is dismissed.
func (c *Client) Stay() context.Context { return c.gone }

// begin counts something that is done for the client, and binds it to the client's stay.
func (c *Client) begin(ctx context.Context) (bound context.Context, end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left || c.gone.Err() != nil:
		return nil, nil, errLeft
	case c.calling >= maxCalling:
		return nil, nil, fmt.Errorf("%d calls of this client are being served, and no more may at once: wait for one to end", maxCalling)
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

// WithClient says in a context who calls.
func WithClient(ctx context.Context, c *Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientIn is the client that a transport has named, nil where it has not.
func ClientIn(ctx context.Context) *Client {
	c, _ := ctx.Value(clientKey{}).(*Client)
	return c
}

// AsClient binds a call to its client's stay, where the transport has named one.
func AsClient(ctx context.Context) (bound context.Context, end func(), err error) {
	if c := ClientIn(ctx); c != nil {
		return c.begin(ctx)
	}
	return ctx, func() {}, nil
}

// ClientOf names the client that a call comes from.
func ClientOf(ctx context.Context) string {
	if c := ClientIn(ctx); c != nil {
		return c.Name
	}
	if s := server.ClientSessionFromContext(ctx); s != nil {
		return s.SessionID()
	}
	return ""
}
