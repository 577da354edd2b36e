package sdk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"github.com/nbduet/nbduet/e2e/agent"
)

// Options are the options of a client. It starts Command, or connects to URL.
type Options struct {
	// Kit is the client's library; the zero value is [TypeScript].
	Kit Kit
	// Modern makes the client request the protocol's newest revision, which has no sessions, and send `initialize` only
	// if the server does not support it. [TypeScript] cannot.
	Modern bool

	// Command is a server on standard streams, with its arguments.
	Command string
	Args    []string
	// Env has variables of the program in addition to HOME, LOGNAME, PATH, SHELL, TERM and USER, which the SDK passes
	// on.
	Env map[string]string
	// ClientEnv is the environment of the client itself; nil means this process's environment.
	ClientEnv []string

	// URL is the address of a server over HTTP: streamable HTTP, or HTTP+SSE if SSE is set, or WebSocket if it begins
	// with ws, which only [TypeScript] supports. Headers are sent with each request.
	URL     string
	SSE     bool
	Headers map[string]string

	// Name is the client's name; empty means "typescript" or "python".
	Name string
	// OAuth, if not nil, has the settings with which the client gets a token from the issuer that the server over HTTP
	// names: clientId, clientSecret, expectedIssuer, scope. Only the first version of the SDK for TypeScript does this.
	OAuth map[string]string
	// Elicit, if not nil, is the client's answer to every question to its user: `action`, and `content` if that is
	// "accept". Without it the client does not offer elicitation. The question is a [Message].
	Elicit map[string]any
}

// Hello is the server's introduction.
type Hello struct {
	// Protocol is the negotiated revision.
	Protocol string
	// Session is the id of a session over streamable HTTP, if the server gave one. The SDK for Python does not return
	// it.
	Session string
	Server  struct{ Name, Title, Version string }
	// Capabilities are the server's, by their names.
	Capabilities map[string]json.RawMessage
	Instructions string
}

// Message is an unsolicited message of the server: a notification, or a question to the user (`elicitation/create`).
type Message struct {
	Method string
	Params json.RawMessage
}

// Error is an error of the protocol, or of the SDK.
type Error struct {
	// Code is JSON-RPC's or the HTTP status, or 0. Errors that the SDK finds in an answer have MCP's codes.
	Code    int
	Message string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// ErrEnded is matched by the error of a request after the client has ended.
var ErrEnded = errors.New("the client has ended")

// Client is a connected client.
type Client struct {
	hello Hello
	cmd   *exec.Cmd
	in    io.WriteCloser
	log   *agent.Record
	read  chan struct{} // closed when the child's output has ended

	mu       sync.Mutex
	last     int
	waiting  map[int]chan reply // nil after the end of the output
	messages []Message
	taken    []bool        // messages that Await has returned
	came     chan struct{} // closed and replaced for each message
}

type reply struct {
	ID     int
	Result json.RawMessage
	Error  *Error

	Message *Message // set instead of the others
}

// Start starts a client and connects it.
func Start(ctx context.Context, opt Options) (*Client, error) {
	program, err := opt.Kit.program()
	if err != nil {
		return nil, err
	}
	c := &Client{
		cmd: exec.Command(program[0], program[1:]...), log: &agent.Record{},
		read: make(chan struct{}), waiting: map[int]chan reply{}, came: make(chan struct{}),
	}
	c.cmd.Env, c.cmd.Stderr = opt.ClientEnv, c.log
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the client: %w", err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the client: %w", err)
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the client: %w", err)
	}
	go c.listen(out)
	err = c.ask(ctx, &c.hello, "connect", map[string]any{
		"command": opt.Command, "args": opt.Args, "env": opt.Env,
		"url": opt.URL, "sse": opt.SSE, "headers": opt.Headers, "name": opt.Name, "elicit": opt.Elicit, "oauth": opt.OAuth,
		"modern": opt.Modern,
	})
	if err != nil {
		return nil, fmt.Errorf("connect: %w; the log:\n%s", errors.Join(err, c.Close()), c.Log())
	}
	return c, nil
}

// listen reads the child's output until its end.
func (c *Client) listen(out io.Reader) {
	defer close(c.read)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		var got reply
		if err == nil {
			err = json.Unmarshal(line, &got)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				_, _ = fmt.Fprintf(c.log, "the client's output: %v: %.200q\n", err, line)
				_, _ = io.Copy(io.Discard, r) // so that the child does not wait for a reader
			}
			c.mu.Lock()
			for _, w := range c.waiting {
				close(w)
			}
			c.waiting = nil
			c.mu.Unlock()
			return
		}
		c.mu.Lock()
		if got.Message != nil {
			c.messages, c.taken = append(c.messages, *got.Message), append(c.taken, false)
			close(c.came)
			c.came = make(chan struct{})
		} else if w := c.waiting[got.ID]; w != nil {
			delete(c.waiting, got.ID)
			w <- got
		}
		c.mu.Unlock()
	}
}

// send sends a command; its reply comes on the channel, which is closed if there can be no reply.
func (c *Client) send(command string, args []any) (int, chan reply, error) {
	if args == nil {
		args = []any{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		return 0, nil, fmt.Errorf("%s: %w", command, ErrEnded)
	}
	c.last++
	line, err := json.Marshal(map[string]any{"id": c.last, "command": command, "args": args})
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", command, err)
	}
	w := make(chan reply, 1)
	c.waiting[c.last] = w
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return 0, nil, fmt.Errorf("%s: %w: %w", command, ErrEnded, err)
	}
	return c.last, w, nil
}

// ask sends a command and decodes its result into result, unless that is nil. The end of ctx cancels the request, as a
// host's stop button does; the error is then the SDK's.
func (c *Client) ask(ctx context.Context, result any, command string, args ...any) error {
	id, w, err := c.send(command, args)
	if err != nil {
		return err
	}
	var got reply
	var ok bool
	select {
	case got, ok = <-w:
	case <-ctx.Done():
		if _, _, err := c.send("cancel", []any{id}); err != nil {
			return err
		}
		if got, ok = <-w; ok && got.Error != nil {
			return fmt.Errorf("%s: %w: %w", command, ctx.Err(), got.Error)
		}
	}
	switch {
	case !ok:
		return fmt.Errorf("%s: %w", command, ErrEnded)
	case got.Error != nil:
		return fmt.Errorf("%s: %w", command, got.Error)
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(got.Result, result); err != nil {
		return fmt.Errorf("%s: the result %.200s: %w", command, got.Result, err)
	}
	return nil
}

// Hello returns the server's introduction.
func (c *Client) Hello() Hello { return c.hello }

// Messages returns the server's unsolicited messages so far.
func (c *Client) Messages() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Message(nil), c.messages...)
}

// Await waits for a message of that method whose parameters match, and returns them; fits may be nil. Each message is
// returned once.
func (c *Client) Await(ctx context.Context, method string, fits func(params json.RawMessage) bool) (json.RawMessage, error) {
	for {
		c.mu.Lock()
		came := c.came
		for i, m := range c.messages {
			if !c.taken[i] && m.Method == method && (fits == nil || fits(m.Params)) {
				c.taken[i] = true
				c.mu.Unlock()
				return m.Params, nil
			}
		}
		c.mu.Unlock()
		select {
		case <-came:
		case <-c.read:
			return nil, fmt.Errorf("wait for %s: %w", method, ErrEnded)
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s: %w; there came %+v", method, ctx.Err(), c.Messages())
		}
	}
}

// Log returns the standard error of the client and of the program that it started.
func (c *Client) Log() string { return string(c.log.Bytes()) }

// Close closes the connection, which ends a program that the client started, and waits. A reported data race is an
// error.
func (c *Client) Close() error {
	errs := []error{c.in.Close()}
	<-c.read // before Wait, which closes the pipe
	errs = append(errs, c.cmd.Wait())
	if bytes.Contains(c.log.Bytes(), []byte("WARNING: DATA RACE")) {
		errs = append(errs, errors.New("nbduet has a data race"))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close the client: %w; the log:\n%s", err, c.Log())
	}
	return nil
}
