package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
)

// listen serves MCP until stdin or ctx ends, or the client is let go because it does not read. It then cancels the calls
// in progress and waits drainTime for them and for their answers to be written; their documents are closed after that
// anyway.
func listen(ctx context.Context, mcp *server.MCPServer, calls *tool.Calls, stdin io.Reader, stdout io.Writer, log *slog.Logger) error {
	out := newOutput(stdout)
	answers := newCallServer(mcp, out)
	std := server.NewStdioServer(mcp)
	for _, opt := range []server.StdioOption{
		server.WithErrorLogger(slog.NewLogLogger(tools.ForeignHandler(log.Handler()), slog.LevelWarn)),
		server.WithWorkerPoolSize(1), // the calls do not come to its workers
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
		stop() // stdin may go on for ever
	}
	drain, done := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer done()
	called := answers.close()
	if !ended {
		select {
		case err = <-served:
		case <-drain.Done():
		}
	}
	select {
	case <-called:
	case <-drain.Done():
		log.Warn("some tool calls did not end in time")
	}
	lost := out.end(drain)
	select {
	case <-ctx.Done(): // it was told to stop, so an error is no failure
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
