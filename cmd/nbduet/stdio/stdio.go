// Package stdio serves MCP over standard input and output. Start at [Listen].
//
// # Concurrency
//
// [Listen] waits for all goroutines that it starts, except a reader of a standard input that never ends.
package stdio

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
)

// Listen serves MCP until stdin or ctx ends, or the client is disconnected because it does not read. It then cancels the
// calls in progress and waits up to drain for them and for their answers to be written; their documents are closed after
// that anyway.
func Listen(ctx context.Context, mcp *server.MCPServer, calls *tool.Calls, stdin io.Reader, stdout io.Writer, drain time.Duration, log *slog.Logger) error {
	out := newOutput(stdout)
	answers := newCallServer(mcp, out)
	std := server.NewStdioServer(mcp)
	for _, opt := range []server.StdioOption{
		server.WithErrorLogger(slog.NewLogLogger(tools.ForeignHandler(log.Handler()), slog.LevelWarn)),
		server.WithWorkerPoolSize(1), // the calls do not reach its workers
		server.WithStdioContextFunc(answers.bind),
	} {
		opt(std)
	}
	in := newInput(stdin, out, calls)
	in.serve = answers.serve
	serving, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- std.Listen(serving, in, out) }()
	var err error
	ended := false
	select {
	case err = <-served:
		ended = true
	case <-ctx.Done():
	case <-in.ended:
	case <-out.unread:
		stop() // stdin may never end
	}
	draining, done := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer done()
	called := answers.close()
	if !ended {
		select {
		case err = <-served:
		case <-draining.Done():
		}
	}
	select {
	case <-called:
	case <-draining.Done():
		log.Warn("some tool calls did not end in time")
	}
	lost := out.end(draining)
	select {
	case <-ctx.Done(): // a requested stop, so an error is not a failure
		return nil
	case <-out.unread:
		err = lost
	default:
	}
	if err != nil {
		return fmt.Errorf("serve MCP: %w", err)
	}
	return nil
}
