package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
)

// Config says what the MCP server offers and on what.
type Config struct {
	// Manager does the work. The caller closes it after the MCP server has stopped.
	Manager *session.Manager
	// Version is this program's version, told to clients.
	Version string
	// Toolsets are the names of those that are on, as [ParseToolsets] returns them; none stands for the default.
	Toolsets []string
	// ReadOnly leaves out every tool that changes anything.
	ReadOnly bool
	// Images keeps the images that answers name; nil stands for a store of the default size.
	Images *images.Store
	// MaxImages is how many images an answer shows, 0 for [DefaultMaxImages], less for none.
	MaxImages int
	// MaxImageBytes is how large each of them is at most, 0 for [DefaultMaxImageBytes].
	MaxImageBytes int
	// Logger gets one debug line per call and this program's own faults; nil logs nothing.
	Logger *slog.Logger
}

// deps are what the tools work with.
type deps struct {
	manager *session.Manager
	seen    *seen
	gallery *gallery
	looks   turns // into a kernel, by its id
}

// instructions are read by the model once, before any tool.
const instructions = `Tools for Jupyter notebooks that people may have open in JupyterLab at the same time: every edit and output appears live in their tabs, and what they type is what you read.
Paths are relative to the Jupyter server's root folder, such as "work/analysis.ipynb". Cell indexes count from 0 and shift as soon as anybody inserts or deletes a cell: read the cells again before you name indexes, and keep the cell ids to recognise cells by.
Changing a cell is merged with what people type into it meanwhile; where both changed the same words the tool refuses and shows both, and nothing is written.`

// New makes the MCP server. It talks to Jupyter only when a tool is called, so that initialize is answered at once
// whatever state Jupyter is in. An error is a mistake in cfg or in a tool's schema.
func New(cfg Config) (*server.MCPServer, error) {
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	toolsets := cfg.Toolsets
	if len(toolsets) == 0 {
		var err error
		if toolsets, err = ParseToolsets("default"); err != nil {
			return nil, err
		}
	}
	memory, err := newSeen()
	if err != nil {
		return nil, err
	}
	pictures, err := newGallery(cfg)
	if err != nil {
		return nil, err
	}
	d := &deps{manager: cfg.Manager, seen: memory, gallery: pictures}
	hooks := &server.Hooks{}
	s := server.NewMCPServer("nbduet", cfg.Version,
		server.WithTitle("nbduet: Jupyter notebooks, together with people"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithHooks(hooks),
	)
	addImages(s, hooks, d)
	open := &suspended{manager: cfg.Manager, log: log}
	for _, t := range selected(registry(d), toolsets, cfg.ReadOnly) {
		check, err := compile(t.name, t.input)
		if err != nil {
			return nil, err
		}
		s.AddTool(t.definition(), handler(t, check, open, log))
	}
	return s, nil
}

// handler is what stands around every tool.
func handler(t tool, check *jsonschema.Schema, open *suspended, log *slog.Logger) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		began := time.Now()
		defer func() {
			if r := recover(); r != nil {
				log.ErrorContext(ctx, "a tool panicked", "tool", t.name, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
				result, err = nil, fmt.Errorf("%s: internal error, see the log of nbduet", t.name)
			}
			log.DebugContext(ctx, "tool call", "tool", t.name, "took", time.Since(began).Round(time.Millisecond),
				"failed", err != nil || (result != nil && result.IsError))
		}()
		a, question, err := answerCall(ctx, t, check, open, req)
		if question != nil {
			return question, nil
		}
		if err == nil {
			result, err = a.result()
		}
		if err != nil {
			if f := (fault{}); errors.As(err, &f) {
				log.ErrorContext(ctx, "a tool failed", "tool", t.name, "error", err)
			}
			return failure(err)
		}
		return result, nil
	}
}

// answerCall answers a call, or with the question that its client has to be asked first.
func answerCall(ctx context.Context, t tool, check *jsonschema.Schema, open *suspended, req mcp.CallToolRequest) (*answer, *mcp.CallToolResult, error) {
	if err := checkArguments(check, req.Params.Arguments); err != nil {
		return nil, nil, err
	}
	ctx = withProgress(ctx, req)
	if (t.asks || t.marks.openWorld) && mayBeAsked(ctx) {
		return open.call(ctx, t, req)
	}
	a, err := t.handle(ctx, req)
	return a, nil, err
}
