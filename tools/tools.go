package tools

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools/datalayer"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// Config says what the MCP server offers, and which state it uses.
type Config struct {
	// Work is the state that the tools use, see [deps.NewWork]. The caller closes its manager after the MCP server has
	// stopped.
	Work *deps.Work
	// Version is this program's version, which clients see.
	Version string
	// Toolsets names the toolsets that are on, as [ParseToolsets] returns them: only their tools are listed and can be
	// called. If empty, the default toolsets are listed, and all tools can be called.
	Toolsets []string
	// OutputSchemas says which tools are listed with the schema of their result and answer with structured content, ""
	// for [NoOutputs].
	OutputSchemas OutputSchemas
	// Answers says how the tools of "core", "pair" and "runs" answer. "" is [JSONAnswers] if Toolsets names a set of another
	// server's tools or OutputSchemas is [FullOutputs], else [TextAnswers].
	Answers Answers
	// ReadOnly leaves out each tool that changes anything.
	ReadOnly bool
	// Clients makes the clients of a transport that distinguishes them; nil if mcp-go's sessions do.
	Clients *tool.Clients
	// Images stores the images that answers name; nil makes a store of the default size.
	Images *images.Store
	// AnswerWithin is [deps.Deps.AnswerWithin].
	AnswerWithin time.Duration
	// AgentPasswords is [deps.Deps.AgentPasswords].
	AgentPasswords bool
	// MaxImages is the maximum number of images in an answer, 0 for [render.DefaultMaxImages], negative for none.
	MaxImages int
	// MaxImageBytes is the maximum size of each of them, 0 for [render.DefaultMaxImageBytes].
	MaxImageBytes int
	// Activity records what each client works on; nil leaves out the toolset "context" and its resources. The caller
	// closes it after the MCP server has stopped.
	Activity *activity.Store
	// Project is the path of the project file on the Jupyter server, the root for [resource.DefaultProject].
	Project jupyter.Path
	// Notebook is the path of the notebook that each client begins with, "" for none. It need not exist before its first
	// use.
	Notebook jupyter.Path
	// Observe is called after each call of a tool, with its outcome, one of a few words, and its duration. It must not
	// block. It may be nil.
	Observe func(tool, outcome string, took time.Duration)
	// Logger gets one record of each call; nil logs nothing.
	Logger *slog.Logger
	// LogCode lets the log hold code, outputs and the contents of files, see [LogHandler].
	LogCode bool
}

// listTTL is how long, in milliseconds, clients may cache lists that are the same for all clients and change only with the
// program's flags.
const listTTL = 300_000

// instructionsFor returns the instructions of a server.
func instructionsFor(cfg Config, o *offer) string {
	i := introduction{
		words:    o.answers == TextAnswers && (len(o.on) == 0 || slices.Contains(o.on, tool.ToolsetCore)),
		sessions: o.listed["session_create"],
		apart:    cfg.Work != nil && cfg.Work.Manager.Servers().Apart(),
		settle:   o.settle,
	}
	if !cfg.Notebook.IsRoot() {
		i.notebook = cfg.Notebook.String()
	}
	return i.text()
}

// New makes the MCP server. It contacts Jupyter only when a tool is called, so initialize is answered at once even if
// Jupyter is unreachable. An error is a mistake in cfg or in a tool's schema.
func New(cfg Config) (*server.MCPServer, error) {
	log := cfg.Logger
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	if len(cfg.Toolsets) == 0 {
		cfg.Toolsets = nil
	}
	d := newParts(cfg)
	d.offer = newOffer(registry(d), cfg)
	d.resources.Settle = d.offer.settle
	toolsets := d.offer.activeSets()
	if cfg.Activity == nil {
		toolsets = slices.DeleteFunc(slices.Clone(toolsets), func(name string) bool { return name == tool.ToolsetContext })
	}
	cfg.Clients = cmp.Or(cfg.Clients, &tool.Clients{})
	cfg.Clients.Free = d.free
	calls := &callLog{code: cfg.LogCode, observe: cfg.Observe}
	if cfg.Work != nil {
		calls.redact = cfg.Work.Redact
	}
	calls.log = slog.New(LogHandler(log.Handler(), cfg.LogCode, calls.redact))
	hooks := &server.Hooks{}
	cfg.Clients.Calls.Hook(hooks)
	tool.HookListen(hooks)
	called := cfg.Work != nil && d.offer.callable[pair.NameWait]
	s := server.NewMCPServer("nbduet", cfg.Version, options(cfg, d, hooks, called)...)
	d.resources.Log = calls.log
	resource.Add(s, hooks, d.resources)
	resource.AddPrompts(s, hooks, d.resources, toolsets)
	d.offer.hook(hooks)
	d.offer.hookUnknown(hooks)
	d.offer.hookHints(hooks)
	if slices.Contains(toolsets, tool.ToolsetCells) || slices.Contains(toolsets, tool.ToolsetAnalysis) {
		resource.AddFiles(s, d.resources)
	}
	if slices.Contains(toolsets, tool.ToolsetContext) {
		resource.AddContext(s, d.resources)
	}
	if called {
		resource.AddLive(s, d.resources, pair.Mentions(d.Deps))
	}
	open := &tool.Suspended{Start: d.Manager.Go, Log: calls.log}
	handlers := map[string]server.ToolHandlerFunc{}
	for _, t := range d.offer.tools() {
		check, err := t.Input.Compile(t.Name)
		if err != nil {
			return nil, err
		}
		handlers[t.Name] = d.offer.handler(withBudget(located(d.Deps, d.resources.Recording(t)), cfg), check, open, calls)
	}
	if own := handlers[nameCallTool]; own != nil {
		handlers[nameCallTool] = d.offer.relay(own, maps.Clone(handlers))
	}
	for _, t := range d.offer.tools() {
		s.AddTool(definition(t), cfg.Clients.Calls.Bound(handlers[t.Name]))
	}
	return s, nil
}

// options returns the MCP server's options: its description, its capabilities and its cache hints. called says that it
// notifies clients of mentions.
func options(cfg Config, d *parts, hooks *server.Hooks, called bool) []server.ServerOption {
	experimental := map[string]any{}
	if called {
		experimental[resource.Channel] = map[string]any{}
	}
	return []server.ServerOption{
		server.WithTitle("nbduet: Jupyter notebooks, together with people"),
		server.WithInstructions(instructionsFor(cfg, d.offer)),
		server.WithToolCapabilities(d.offer.callable[nameFindTools]),
		server.WithResourceCapabilities(true, true),
		server.WithExperimental(experimental),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(resource.Completer{D: d.resources}),
		server.WithPromptCompletionProvider(resource.Completer{D: d.resources}),
		server.WithMethodCacheHints(mcp.MethodResourcesTemplatesList, resource.TemplateTTL, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodToolsList, listTTL, d.offer.scope()),
		server.WithMethodCacheHints(mcp.MethodPromptsList, listTTL, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodServerDiscover, listTTL, mcp.CacheScopePublic),
		server.WithHooks(hooks),
		server.WithResourceHandlerMiddleware(guarded(cfg.Work)),
	}
}

// handler returns a tool's handler: it checks and logs calls, and turns answers into MCP results.
func (o *offer) handler(t tool.Tool, check *jsonschema.Resolved, open *tool.Suspended, calls *callLog) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		r := &callRecord{began: time.Now(), tool: t.Name}
		defer func() {
			if value := recover(); value != nil {
				r.panic = tool.Caught(value)
				result, err = nil, fmt.Errorf("%s: internal error, see the log of nbduet", t.Name)
			}
			calls.write(ctx, req, r, result)
		}()
		bound, end, err := tool.AsClient(ctx)
		if err != nil {
			r.err = err
			return nil, err
		}
		defer end()
		if o.speaks(t) {
			bound = tool.WithWords(bound)
		}
		bound, end = o.turn(bound)
		defer end()
		a, question, err := o.answerCall(bound, t, check, open, req)
		if question != nil {
			r.asks = true
			return question, nil
		}
		if r.answer = a; err == nil {
			a.Settle = o.settle
			if result, err = a.Result(o.describes(ctx, t.Name)); err == nil {
				o.settleResult(result, a.Words != nil)
			}
		}
		err = o.settleError(t, err)
		if r.err = err; err != nil {
			return tool.Failure(err)
		}
		return result, nil
	}
}

// withBudget limits how long a tool waits for a Jupyter server that is away, and reports that to the client. People see the
// client under the name that it gives itself.
func withBudget(t tool.Tool, cfg Config) tool.Tool {
	w := cfg.Work
	if w == nil {
		return t // the tools are only listed
	}
	handle := t.Handle
	t.Handle = func(ctx context.Context, req mcp.CallToolRequest) (*tool.Answer, error) {
		began := time.Now()
		info := tool.InfoOf(ctx)
		w.Manager.Presence.Said(tool.ClientOf(ctx), presence.Self{Name: info.Name, Title: info.Title, Persona: tool.PersonaOf(req.Header)})
		if err := started(ctx, w, cfg.ReadOnly, cfg.AnswerWithin); err != nil {
			return nil, err
		}
		if err := letIn(ctx, w); err != nil {
			return nil, err
		}
		return handle(w.WithBudget(ctx, func(message string) { tool.Progress(ctx, time.Since(began).Seconds(), message) }), req)
	}
	return t
}

// turn gives a call its turn among the calls of its client, unless it got one as it arrived.
func (o *offer) turn(ctx context.Context) (context.Context, func()) {
	if tool.HasTurn(ctx) {
		return ctx, func() {}
	}
	var turn *tool.Turn
	o.turns.With(tool.ClientOf(ctx), func() *tool.Turns { return &tool.Turns{} }, func(t *tool.Turns) { turn = t.Arrive() })
	return tool.WithTurn(ctx, turn), turn.End
}

// lastCall numbers the calls of the process.
var lastCall atomic.Uint64

// answerCall answers a call, or returns the question that its client must be asked first.
func (o *offer) answerCall(ctx context.Context, t tool.Tool, check *jsonschema.Resolved, open *tool.Suspended, req mcp.CallToolRequest) (*tool.Answer, *mcp.CallToolResult, error) {
	ctx, given, err := takeStart(ctx, req.Params.Arguments)
	if err != nil {
		return nil, nil, badArguments{err}
	}
	given, reason := takeReason(check.Schema(), given)
	args, err := tool.Arguments(check, given)
	if err != nil {
		return nil, nil, badArguments{err}
	}
	req.Params.Arguments = args
	if person, ok := tool.TakeHidden(check.Schema(), args, target.ArgPerson).(string); ok {
		ctx = target.WithPerson(ctx, person)
	}
	ctx = takeManners(tool.WithProgress(tool.WithBeginning(ctx), req), check.Schema(), args, o.pause)
	ctx = origin.With(ctx, origin.Author{Client: tool.ClientOf(ctx), Owner: tool.OwnerOf(ctx), Call: lastCall.Add(1), Tool: t.Name, Reason: reason})
	if turn := tool.TurnOf(ctx); t.Ordered {
		if err := turn.Wait(ctx); err != nil {
			return nil, nil, err
		}
	} else if t.Name != nameCallTool {
		turn.Pass()
	}
	if (t.Asks || t.Hints.OpenWorld) && tool.MayBeAsked(ctx) {
		return open.Call(ctx, t, req)
	}
	a, err := t.Handle(ctx, req)
	return a, nil, err
}

// parts holds the state of the packages of tools.
type parts struct {
	*deps.Deps
	datalayer *datalayer.Toolset
	resources *resource.Provider
	offer     *offer
}

func newParts(cfg Config) *parts {
	d := deps.New(cfg.Work, cfg.Images, cfg.MaxImages, cfg.MaxImageBytes)
	d.AnswerWithin, d.ReadOnly, d.AgentPasswords = cfg.AnswerWithin, cfg.ReadOnly, cfg.AgentPasswords
	p := &parts{Deps: d, datalayer: &datalayer.Toolset{Deps: d, Notebook: cfg.Notebook}}
	p.resources = &resource.Provider{Deps: d, Activity: cfg.Activity}
	p.resources.Project = &resource.ProjectFile{Manager: d.Manager, Path: cmp.Or(cfg.Project, jupyter.MustPath(resource.DefaultProject))}
	p.resources.Prompts = append(p.resources.OwnPrompts(), p.datalayer.CitePrompt())
	return p
}

// free releases all state of a client.
func (p *parts) free(ctx context.Context, client string) error {
	sessions := append([]string{client}, p.Analyses.IDs(client)...)
	err := p.Analyses.EndOwner(ctx, client)
	p.Forget(client, sessions)
	p.datalayer.Forget(client)
	p.resources.Forget(client)
	p.offer.found.Forget(client)
	p.offer.turns.Forget(client)
	return err
}
