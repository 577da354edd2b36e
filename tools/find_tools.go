package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// The tools that give access to the unlisted tools.
const (
	nameFindTools = "find_tools"
	nameCallTool  = "call_tool"
)

// mostFound is the maximum number of tools that find_tools returns.
const mostFound = 5

type findToolsArgs struct {
	Wish string `json:"wish" jsonschema:"Your task, in a few words." validate:"min=1,max=500"`
}

// A foundTool is a tool that fits a wish.
type foundTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Arguments   json.RawMessage `json:"arguments" jsonschema:"JSON Schema of its arguments."`
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
		Description: "Finds tools that are not listed, when no listed tool fits: analysis sessions, kernels, templates, files, findings to keep and more. Returns their arguments; call_tool calls them.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[findToolsResult](nil),
		Call: tool.Typed(func(ctx context.Context, args findToolsArgs) (*tool.Answer, error) {
			out := findToolsResult{Tools: []foundTool{}}
			var names []string
			for _, t := range fitting(args.Wish, p.offer.hidden()) {
				def := t.Definition()
				out.Tools = append(out.Tools, foundTool{t.Name, def.Description, def.RawInputSchema})
				names = append(names, t.Name)
			}
			out.Message = "Call them with call_tool, or by name if your list of tools now shows them."
			if len(names) == 0 {
				out.Message = "No other tool matches: describe your task in other words, or use a listed tool."
			} else if p.offer.put(tool.ClientOf(ctx), names) {
				p.resources.ToolsChanged(tool.ClientOf(ctx))
			}
			return &tool.Answer{Body: out, Words: tool.Words(ctx, out.words)}, nil
		}),
	}
}

// words returns each tool with its description and the schema of its arguments.
func (r findToolsResult) words() plaintext.Text {
	t := plaintext.Text{First: r.Message}
	for _, one := range r.Tools {
		t.Add(plaintext.Block{Head: " " + one.Name, Body: one.Description + "\n" + string(one.Arguments)})
	}
	return t
}

// fitting returns the tools that match a wish best, the best first. A word counts more if fewer tools have it.
func fitting(wish string, among []tool.Tool) []tool.Tool {
	has := make([]map[string]float64, len(among))
	spread := map[string]int{}
	for i, t := range among {
		has[i] = map[string]float64{}
		add := func(text string, weight float64) {
			for _, w := range stems(text) {
				has[i][w] = max(has[i][w], weight)
			}
		}
		add(t.Description, 1)
		add(t.Title, 2)
		add(t.Name, 3)
		for w := range has[i] {
			spread[w]++
		}
	}
	var found []tool.Tool
	score := map[string]float64{}
	asked := stems(wish)
	for i, t := range among {
		for _, w := range asked {
			if n := spread[w]; n > 0 {
				score[t.Name] += has[i][w] / float64(n)
			}
		}
		if score[t.Name] > 0 {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b tool.Tool) int { return cmp.Compare(score[b.Name], score[a.Name]) })
	return found[:min(mostFound, len(found))]
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
