package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// OutputSchemas says which tools are listed with the schema of their result, and answer with structured content.
type OutputSchemas string

// The values of OutputSchemas. Clients of a protocol revision without output schemas never receive any.
const (
	// NoOutputs is the default: hosts that receive structured content give the model only that, or both, so that images are
	// lost or every answer is paid for twice.
	NoOutputs   OutputSchemas = "none"
	FullOutputs OutputSchemas = "full"
	// LeanOutputs leaves out the schemas of the set "core".
	LeanOutputs OutputSchemas = "lean"
)

// OutputSchemasWords are the values of OutputSchemas.
func OutputSchemasWords() []string {
	return []string{string(FullOutputs), string(LeanOutputs), string(NoOutputs)}
}

// An offer says which tools clients can call, and which are listed. These differ: without chosen toolsets, every tool can be
// called by its name, so that a prompt or a program written for the names of another server works, but only the set "core"
// and the tools that a client found with find_tools are listed.
type offer struct {
	all      []tool.Tool // all tools
	by       map[string]tool.Tool
	on       []string // the chosen toolsets; nil if none were chosen
	readOnly bool
	outputs  OutputSchemas
	answers  Answers
	pause    time.Duration // how long a call waits until people who are typing pause
	callable map[string]bool
	listed   map[string]bool
	found    deps.PerClient[map[string]bool]
	turns    deps.PerClient[*tool.Turns]
}

// newOffer makes the offer of a server with the tools all.
func newOffer(all []tool.Tool, cfg Config) *offer {
	o := &offer{all: all, on: cfg.Toolsets, readOnly: cfg.ReadOnly, outputs: cfg.OutputSchemas, answers: answersOf(cfg), pause: cmp.Or(cfg.AnswerWithin, editguard.MaxWait), by: map[string]tool.Tool{}, callable: map[string]bool{}, listed: map[string]bool{}}
	chosen, shown := o.on, o.on
	if o.on == nil {
		chosen, shown = ToolsetNames(), []string{tool.ToolsetCore}
	}
	possible := func(t tool.Tool) bool { return t.Toolset != tool.ToolsetContext || cfg.Activity != nil }
	for i, t := range all {
		if o.speaks(t) {
			all[i] = t.WithOneSize()
		}
		o.by[t.Name] = all[i]
	}
	for _, t := range selected(slices.Clone(all), chosen, cfg.ReadOnly) {
		if toTheRest(t.Name) && o.on != nil {
			continue // all callable tools are listed
		}
		if possible(t) {
			o.callable[t.Name] = true
			o.listed[t.Name] = slices.ContainsFunc(shown, t.In)
		}
	}
	return o
}

// toTheRest reports whether a tool gives access to the unlisted tools.
func toTheRest(name string) bool { return name == nameFindTools || name == nameCallTool }

// tools returns the callable tools, in their usual order.
func (o *offer) tools() []tool.Tool {
	return slices.DeleteFunc(slices.Clone(o.all), func(t tool.Tool) bool { return !o.callable[t.Name] })
}

// activeSets returns the toolsets with callable tools.
func (o *offer) activeSets() []string {
	if o.on != nil {
		return o.on
	}
	return slices.DeleteFunc(ToolsetNames(), func(n string) bool {
		return n == tool.ToolsetDatalayer || n == tool.ToolsetToday // its prompt is only for servers that chose it
	})
}

// put adds tools to a client's list, and reports whether any of them is new there.
func (o *offer) put(client string, names []string) (more bool) {
	o.found.With(client, func() map[string]bool { return map[string]bool{} }, func(mine map[string]bool) {
		for _, n := range names {
			more = more || !mine[n] && !o.listed[n]
			mine[n] = true
		}
	})
	return more
}

// hook makes each client's list of tools contain only the tools listed for it.
func (o *offer) hook(hooks *server.Hooks) {
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		var mine map[string]bool
		o.found.With(tool.ClientOf(ctx), func() map[string]bool { return map[string]bool{} }, func(found map[string]bool) {
			mine = maps.Clone(found)
		})
		var out []mcp.Tool
		for _, t := range result.Tools {
			if !o.listed[t.Name] && !mine[t.Name] {
				continue
			}
			if !o.describes(ctx, t.Name) {
				t.RawOutputSchema = nil
			}
			out = append(out, t)
		}
		result.Tools = out
	})
}

// scope returns the cache scope of a list of tools: private if clients can find further tools.
func (o *offer) scope() mcp.CacheScope {
	if o.callable[nameFindTools] {
		return mcp.CacheScopePrivate
	}
	return mcp.CacheScopePublic
}

// sinceOutputs is the first revision of the protocol that has output schemas.
const sinceOutputs = mcp.ProtocolVersion20250618

// describes reports whether a client receives the schema of a tool's result, and its results as structured content.
func (o *offer) describes(ctx context.Context, name string) bool {
	if v := server.RequestProtocolVersion(ctx); v != "" && v < sinceOutputs {
		return false
	}
	switch o.outputs {
	case FullOutputs:
		return true
	case LeanOutputs:
		return !o.by[name].In(tool.ToolsetCore)
	}
	return false
}

// unknown says why a tool cannot be called, and what to do.
func (o *offer) unknown(name string) string {
	t, ok := o.by[name]
	switch {
	case !ok:
		text := "no tool " + textfmt.Quoted(name)
		if near := tool.Nearest(name, lo.Map(o.tools(), func(t tool.Tool, _ int) string { return t.Name })); near != "" {
			text += ", the nearest is " + near
		}
		return text
	case o.readOnly && !t.Hints.ReadOnly:
		return "the tool " + name + " changes things or runs code, and nbduet was started with --read-only"
	case toTheRest(name):
		return "the tool " + name + " exists only if nbduet was started without --toolsets: all callable tools are listed"
	case t.Toolset == tool.ToolsetContext && (o.on == nil || slices.Contains(o.on, tool.ToolsetContext)):
		return "the tool " + name + " needs the activity record, which this server does not keep"
	}
	return fmt.Sprintf("the tool %s is in the toolset %s, which is off: start nbduet with --toolsets %s", name, t.Toolset, strings.Join(append(slices.Clone(o.on), t.Toolset), ","))
}
