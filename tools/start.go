package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// argStart is the argument with which a call starts the user's server on a JupyterHub if it does not run. All tools take it,
// and none lists it: the error about a stopped server mentions it.
const argStart = "start_server"

type startKey struct{}

// takeStart moves [argStart] from a call's arguments to its context.
func takeStart(ctx context.Context, given any) (context.Context, any, error) {
	all, _ := given.(map[string]any)
	value, there := all[argStart]
	if !there {
		return ctx, given, nil
	}
	all = maps.Clone(all)
	delete(all, argStart)
	start, ok := value.(bool)
	if text, isText := value.(string); isText {
		text = strings.ToLower(strings.TrimSpace(text))
		start, ok = text == "true", text == "true" || text == "false"
	}
	switch {
	case value == nil:
	case !ok:
		return ctx, nil, fmt.Errorf("%s: %.100q is neither true nor false", argStart, fmt.Sprint(value))
	case start:
		ctx = context.WithValue(ctx, startKey{}, true)
	}
	return ctx, all, nil
}

// started starts the servers that a call needs, if the call says so. It reports progress to the client, and waits at most
// within if the client does not receive progress.
func started(ctx context.Context, w *deps.Work, readOnly bool, within time.Duration) error {
	switch {
	case ctx.Value(startKey{}) == nil:
		return nil
	case readOnly:
		return errors.New(argStart + ": nbduet was started with --read-only and starts no server: call without it once the server runs")
	}
	wait := ctx
	if within > 0 && !tool.HearsProgress(ctx) {
		var stop context.CancelFunc
		wait, stop = context.WithTimeout(ctx, within)
		defer stop()
	}
	began := time.Now()
	for _, s := range serversOf(w) {
		err := s.Hub.Start(wait, func(_ float64, message string) {
			tool.Progress(ctx, time.Since(began).Seconds(), message)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// serversOf returns the servers that a call may need.
func serversOf(w *deps.Work) []*jupyter.Server {
	servers := w.Manager.Servers()
	all := []*jupyter.Server{servers.Documents}
	if !slices.Contains(all, servers.Runtime) {
		all = append(all, servers.Runtime)
	}
	return all
}

// letIn returns an error if a server on a JupyterHub refuses this program: its open documents then stay open, but must not
// be used.
func letIn(ctx context.Context, w *deps.Work) error {
	for _, s := range serversOf(w) {
		if s == nil {
			continue
		}
		if err := s.Hub.LetsIn(ctx); err != nil {
			return fmt.Errorf("the Jupyter server refuses this program: %w", err)
		}
	}
	return nil
}

// guarded refuses reads of resources if [letIn] refuses calls.
func guarded(w *deps.Work) server.ResourceHandlerMiddleware {
	return func(read server.ResourceHandlerFunc) server.ResourceHandlerFunc {
		return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			if w != nil {
				if err := letIn(ctx, w); err != nil {
					return nil, err
				}
			}
			return read(ctx, req)
		}
	}
}
