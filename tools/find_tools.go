package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// The tools that give access to the unlisted tools.
const (
	nameFindTools = "find_tools"
	nameCallTool  = "call_tool"
)

// mostFound is the maximum number of tools that find_tools names.
const mostFound = 3

// enough is the part of a query's words, weighted by how few tools have them, that must fit a tool.
const enough = 0.34

type findToolsArgs struct {
	Query string `json:"query" jsonschema:"Your task in a few English words, or a tool's name for its arguments." validate:"min=1,max=500"`
}

// A foundTool is a tool that fits a query.
type foundTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description" jsonschema:"Its first sentence, or all of it if the query is its name."`
	Arguments   json.RawMessage `json:"arguments,omitempty" jsonschema:"JSON Schema of its arguments, if the query is its name."`
}

type findToolsResult struct {
	Tools   []foundTool `json:"tools"`
	Message string      `json:"message"`
}

// findTools makes find_tools.
func findTools(p *parts) tool.Tool {
	return tool.Tool{
		Name:        nameFindTools,
		Title:       "Find further tools",
		Toolset:     tool.ToolsetCore,
		Description: "Finds tools that are not listed, when no listed tool fits: files, kernels, templates, runs, mentions and more. Returns their names; with a name as query, its arguments, for call_tool. Says so if no tool does it.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[findToolsResult](nil),
		Call: tool.Typed(func(ctx context.Context, args findToolsArgs) (*tool.Answer, error) {
			query := strings.TrimSpace(args.Query)
			out := p.offer.search(query)
			if len(out.Tools) == 1 && out.Tools[0].Arguments != nil && p.offer.put(tool.ClientOf(ctx), []string{query}) {
				p.resources.ToolsChanged(tool.ClientOf(ctx))
			}
			return &tool.Answer{Body: out, Words: tool.Words(ctx, out.words)}, nil
		}),
	}
}

// search returns the tool with a name, or the tools that fit a query.
func (o *offer) search(query string) findToolsResult {
	if t := o.by[query]; o.callable[query] {
		def := t.Definition()
		return findToolsResult{[]foundTool{{t.Name, def.Description, def.RawInputSchema}}, "Call it with call_tool, or by name if your list of tools shows it."}
	}
	sentence := func(t tool.Tool) foundTool { return foundTool{Name: t.Name, Description: firstSentence(t)} }
	fit := fitting(query, slices.DeleteFunc(o.tools(), func(t tool.Tool) bool { return toTheRest(t.Name) || !o.listed[t.Name] && !byPath(t) }))
	out := findToolsResult{Tools: []foundTool{}}
	switch best := fit[0]; {
	case best.score == 0:
		out.Message = "No tool matches these words: give your task in a few English words."
	case best.score < enough:
		out.Message = "No tool does this." + lo.Ternary(o.listed[best.Name], " The nearest on your list is "+best.Name+".", "")
	case o.listed[best.Name]:
		out.Tools, out.Message = []foundTool{sentence(best.Tool)}, "This tool is on your list."
	default:
		out.Message = "Give find_tools a name as query for its arguments; call_tool calls it."
		for _, f := range fit[:min(mostFound, len(fit))] {
			if f.score >= enough && !o.listed[f.Name] {
				out.Tools = append(out.Tools, sentence(f.Tool))
			}
		}
	}
	return out
}

func firstSentence(t tool.Tool) string {
	first, _, _ := strings.Cut(t.Description, ". ")
	return strings.TrimSuffix(first, ".") + "."
}

// byPath reports whether a tool works without an analysis session, a current notebook or another server's names.
func byPath(t tool.Tool) bool {
	if t.In(tool.ToolsetDatalayer) || t.In(tool.ToolsetToday) {
		return false
	}
	return t.Toolset != tool.ToolsetAnalysis && t.Toolset != tool.ToolsetCells || t.Input.Takes("path") && !t.Input.Takes("session_id")
}

// words returns the message, and each tool with its description and the schema of its arguments.
func (r findToolsResult) words() plaintext.Text {
	t := plaintext.Text{First: r.Message}
	for _, one := range r.Tools {
		t.Add(plaintext.Block{Head: " " + one.Name, Body: strings.TrimSpace(one.Description + "\n" + string(one.Arguments))})
	}
	return t
}

// A fittingTool is a tool with how well it fits a query, from 0 to 1.
type fittingTool struct {
	tool.Tool
	score float64
}

// fitting returns tools by how well they fit a query, the best first. A word counts more if fewer tools have it.
func fitting(query string, among []tool.Tool) []fittingTool {
	has := make([]map[string]float64, len(among))
	spread := map[string]int{}
	for i, t := range among {
		has[i] = map[string]float64{}
		for weight, text := range map[float64]string{0.4: firstSentence(t), 1: t.Name + " " + t.Title + " " + hints[t.Name]} {
			for _, w := range stems(text) {
				has[i][w] = max(has[i][w], weight)
			}
		}
		for w := range has[i] {
			spread[w]++
		}
	}
	asked := stems(query)
	weigh := func(w string) float64 { return math.Log(1 + float64(len(among))/float64(1+spread[w])) }
	all := lo.SumBy(asked, weigh)
	fit := make([]fittingTool, len(among))
	for i, t := range among {
		fit[i] = fittingTool{t, lo.SumBy(asked, func(w string) float64 { return weigh(w) * has[i][w] }) / max(all, 1e-9)}
	}
	slices.SortStableFunc(fit, func(a, b fittingTool) int { return cmp.Compare(b.score, a.score) })
	return fit
}

// little are words that say nothing about a tool's purpose.
var little = strings.Fields("a an and are as at be by can do for from get how i in into is it its me my nb of on or that the them then there this to use want what which with you your")

// stems returns the significant words of a text, each once, without their common endings.
func stems(text string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if slices.Contains(little, w) {
			continue
		}
		for _, end := range []string{"ing", "ies", "ied", "es", "ed", "s", "e", "y"} {
			if len(w) > len(end)+2 && strings.HasSuffix(w, end) {
				w = strings.TrimSuffix(w, end)
				break
			}
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

type callToolArgs struct {
	Name      string `json:"name" jsonschema:"The tool's name." validate:"min=1,max=64"`
	Arguments any    `json:"arguments,omitempty" jsonschema:"Its arguments, as JSON." validate:"max=4000000"`
}

// Refine implements tool.Refiner.
func (callToolArgs) Refine(f tool.Fields) {
	f.Field("arguments").Types("string", "object", "null") // not only object: Gemini refuses an object without members
}

// callTool makes call_tool. [offer.relay] passes its calls to the named tools; only calls that cannot be passed on come
// here.
func callTool(p *parts) tool.Tool {
	return tool.Tool{
		Name:        nameCallTool,
		Title:       "Call a further tool",
		Toolset:     tool.ToolsetCore,
		Description: "Calls a tool found by find_tools that your list of tools does not show. Returns that tool's answer.",
		Hints:       tool.Hints{ReadOnly: p.ReadOnly, Destructive: !p.ReadOnly, OpenWorld: !p.ReadOnly},
		Output:      tool.ResultOf[map[string]any](nil),
		Call: tool.Typed(func(_ context.Context, args callToolArgs) (*tool.Answer, error) {
			if toTheRest(args.Name) {
				return nil, errors.New("call " + args.Name + " itself, not through call_tool")
			}
			if !p.offer.callable[args.Name] {
				return nil, errors.New(p.offer.unknown(args.Name))
			}
			return nil, errors.New("arguments is not the text of a JSON object, such as {\"path\": \"work/analysis.ipynb\"}")
		}),
	}
}

// relay turns calls of call_tool into calls of the tools that they name: with their checks and their log records, and with
// the request's progress token and answers to questions.
func (o *offer) relay(own server.ToolHandlerFunc, to map[string]server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		given := req.GetArguments()
		name, _ := given["name"].(string)
		next := to[name]
		if next == nil || toTheRest(name) || len(given) > 2 {
			return own(ctx, req)
		}
		args, ok := given["arguments"].(map[string]any)
		switch text := given["arguments"].(type) {
		case nil:
			ok = true
		case string:
			ok = strings.TrimSpace(text) == "" || json.Unmarshal([]byte(text), &args) == nil
		}
		if _, more := given["arguments"]; !ok || len(given) == 2 && !more {
			return own(ctx, req)
		}
		req.Params.Name, req.Params.Arguments = name, args
		return next(ctx, req)
	}
}
