package tools

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/nbduet/nbduet/session/activity"
	"github.com/nbduet/nbduet/session/images"
)

// Config says what the MCP server offers and on what.
type Config struct {
	// Manager does the work. The caller closes it after the MCP server has stopped.
	Manager *Work
	// Version is this program's version, told to clients.
	Version string
	// Toolsets are the names of those that are on, as [ParseToolsets] returns them; none stands for the default.
	Toolsets []string
	// ReadOnly leaves out every tool that changes anything.
	ReadOnly bool
	// Clients are those that a transport tells apart; nil where mcp-go's sessions do.
	Clients *Clients
	// Images keeps the images that answers name; nil stands for a store of the default size.
	Images *images.Store
	// MaxImages is how many images an answer shows, 0 for [DefaultMaxImages], less for none.
	MaxImages int
	// MaxImageBytes is how large each of them is at most, 0 for [DefaultMaxImageBytes].
	MaxImageBytes int
	// Activity remembers what each client works on; nil leaves the toolset "context" and its resources out. The caller
	// closes it after the MCP server has stopped.
	Activity *activity.Store
	// Project is the path of the project file on the Jupyter server, "" for [DefaultProject].
	Project string
	// Notebook is the path of the notebook that each client begins with, "" for none. Nothing looks whether it is there
	// before it is used.
	Notebook string
	// Observe is told of each call of a tool when it has been answered: how it came out, in one of a few words, and
	// how long it took. It must not block. nil tells nobody.
	Observe func(tool, outcome string, took time.Duration)
	// Logger gets one record of each call; nil logs nothing.
	Logger *slog.Logger
	// LogCode lets code, outputs and the contents of files into the log, see [LogHandler].
	LogCode bool
}

// listTTL is for how long clients may keep what is the same for all of them, and changes only when the program is started
// with other flags, in milliseconds.
const listTTL = 300_000

// deps are what the tools work with.
type deps struct {
	manager *Work
	seen    *seen
	gallery *gallery
	looks   turns // into a kernel, by its id
	visits  visits
	used    usedNotebooks // by the toolset datalayer
	live    *live

	activity *activity.Store // nil where the toolset context is off
	project  *projectFile
	notebook string // that each client begins with, "" for none
}

// instructions are read by the model once, before any tool.
const instructions = `Tools for Jupyter notebooks that people may have open in JupyterLab at the same time: every edit and output appears live in their tabs, and what they type is what you read.
Paths are relative to the Jupyter server's root folder, such as "work/analysis.ipynb". Cell indexes count from 0 and shift as soon as anybody inserts or deletes a cell: read the cells again before you name indexes, and keep the cell ids to recognise cells by.
Changing a cell is merged with what people type into it meanwhile; where both changed the same words the tool refuses and shows both, and nothing is written.`

// instructionsFor are the instructions, with what this server is about.
func instructionsFor(cfg Config) string {
	text := instructions
	if cfg.Notebook != "" {
		text += fmt.Sprintf("\nWhere no other one is named, the notebook to work in is %q.", cfg.Notebook)
	}
	if cfg.Manager != nil && cfg.Manager.Apart() {
		text += "\nKernels run on another server than the one that has the notebooks and files: running code does not see the files that these tools show, nor do the tools see those that code writes."
	}
	return text
}

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
	if cfg.Activity == nil {
		toolsets = slices.DeleteFunc(slices.Clone(toolsets), func(name string) bool { return name == toolsetContext })
	}
	memory, err := newSeen()
	if err != nil {
		return nil, err
	}
	pictures, err := newGallery(cfg)
	if err != nil {
		return nil, err
	}
	d := &deps{manager: cfg.Manager, seen: memory, gallery: pictures, activity: cfg.Activity, notebook: cfg.Notebook}
	d.project = &projectFile{manager: cfg.Manager, path: cmp.Or(cfg.Project, DefaultProject)}
	if cfg.Clients != nil {
		cfg.Clients.free = d.free
	}
	calls := &callLog{code: cfg.LogCode, observe: cfg.Observe}
	if cfg.Manager != nil {
		calls.redact = cfg.Manager.Redact
	}
	calls.log = slog.New(LogHandler(log.Handler(), cfg.LogCode, calls.redact))
	hooks := &server.Hooks{}
	s := server.NewMCPServer("nbduet", cfg.Version,
		server.WithTitle("nbduet: Jupyter notebooks, together with people"),
		server.WithInstructions(instructionsFor(cfg)),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, true),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(completer{d}),
		server.WithPromptCompletionProvider(completer{d}),
		server.WithMethodCacheHints(mcp.MethodResourcesTemplatesList, templateTTL, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodToolsList, listTTL, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodPromptsList, listTTL, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodServerDiscover, listTTL, mcp.CacheScopePublic),
		server.WithHooks(hooks),
	)
	addResources(s, hooks, d)
	addPrompts(s, d, toolsets)
	if slices.Contains(toolsets, toolsetCells) {
		addFiles(s, d)
	}
	if slices.Contains(toolsets, toolsetContext) {
		addContext(s, d)
	}
	open := &suspended{manager: cfg.Manager, log: calls.log}
	for _, t := range selected(registry(d), toolsets, cfg.ReadOnly) {
		check, err := compile(t.name, t.input)
		if err != nil {
			return nil, err
		}
		s.AddTool(t.definition(), handler(d.noting(t), check, open, calls))
	}
	return s, nil
}

// handler is what stands around every tool.
func handler(t tool, check *jsonschema.Schema, open *suspended, calls *callLog) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		r := &callRecord{began: time.Now(), tool: t.name}
		defer func() {
			if value := recover(); value != nil {
				r.panic = caught(value)
				result, err = nil, fmt.Errorf("%s: internal error, see the log of nbduet", t.name)
			}
			calls.write(ctx, req, r, result)
		}()
		bound, end, err := asClient(ctx)
		if err != nil {
			r.err = err
			return nil, err
		}
		defer end()
		a, question, err := answerCall(bound, t, check, open, req)
		if question != nil {
			r.asks = true
			return question, nil
		}
		if r.answer = a; err == nil {
			result, err = a.result()
		}
		if r.err = err; err != nil {
			return failure(err)
		}
		return result, nil
	}
}

// answerCall answers a call, or with the question that its client has to be asked first.
func answerCall(ctx context.Context, t tool, check *jsonschema.Schema, open *suspended, req mcp.CallToolRequest) (*answer, *mcp.CallToolResult, error) {
	if err := checkArguments(check, req.Params.Arguments); err != nil {
		return nil, nil, badArguments{err}
	}
	ctx = withProgress(ctx, req)
	if (t.asks || t.marks.openWorld) && mayBeAsked(ctx) {
		return open.call(ctx, t, req)
	}
	a, err := t.handle(ctx, req)
	return a, nil, err
}
