package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A misuse is a call that must be refused.
type misuse struct {
	what string
	args toolstest.Dict
}

// Every tool refuses any wrong argument, and changes nothing. The cases follow from the tools' schemas.
func TestEveryToolRefusesBadArguments(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		r := toolstest.New(t)
		notebook, text := r.Server.Notebook(t, "x = 1", "y = 2"), r.TextFile("some text\n")
		files := map[string]string{notebook: r.Server.Read(t, notebook), text: r.Server.Read(t, text)}
		revisions := map[string]string{notebook: r.Content(notebook).Revision, text: r.Content(text).Revision}
		for _, d := range tools.Definitions() {
			if d.Name == "find_tools" || d.Name == "call_tool" {
				continue // they exist only without chosen toolsets
			}
			path := notebook
			if d.Toolset == tool.ToolsetDocument {
				path = text
			}
			var in toolstest.Dict
			if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
				t.Fatal(err)
			}
			good := example(in, "", path).(toolstest.Dict)
			cases := append(misuses(in, good), misuse{"unknown argument", toolstest.With(good, "no_such_argument", 1)})
			for _, c := range cases {
				res := r.Call(d.Name, c.args)
				message := toolstest.MessageOf(res)
				test.True(t, res.IsError, test.Sprint(d.Name, c.what, c.args))
				test.NotEq(t, "", message, test.Sprint(d.Name, c.what, c.args))
				for _, arg := range foreignArguments(d, message) {
					t.Errorf("%s does not take %s, which its error names: %s", d.Name, arg, message)
				}
			}
		}
		for path, was := range files {
			test.Eq(t, was, r.Server.Read(t, path))
			test.Eq(t, revisions[path], r.Content(path).Revision)
		}
	})
}

// argumentName matches the names of arguments that have more than one word.
var argumentName = regexp.MustCompile(`(?:give|with|and|or|lacks|argument) ([a-z]+(?:_[a-z]+)+)\b`)

// foreignArguments returns the arguments that an error names as the tool's, although only other tools take them.
func foreignArguments(d tool.Tool, message string) (out []string) {
	own := map[string]bool{}
	for _, p := range argumentsOf(d) {
		own[p] = true
	}
	for _, other := range tools.Definitions() {
		for _, p := range argumentsOf(other) {
			for _, m := range argumentName.FindAllStringSubmatch(message, -1) {
				if m[1] == p && !own[p] && !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// argumentsOf returns the names of a tool's arguments, at any depth.
func argumentsOf(d tool.Tool) (names []string) {
	for _, m := range regexp.MustCompile(`"([a-z_]+)":\{`).FindAllStringSubmatch(string(d.Input.Raw()), -1) {
		names = append(names, m[1])
	}
	return names
}

// example returns a value that a schema allows, with path in place of all paths.
func example(s toolstest.Dict, name, path string) any {
	switch s["type"] {
	case "object":
		out := toolstest.Dict{}
		required, _ := s["required"].([]any)
		for k, p := range s["properties"].(toolstest.Dict) {
			if slices.Contains(required, any(k)) {
				out[k] = example(p.(toolstest.Dict), k, path)
			}
		}
		if properties := s["properties"].(toolstest.Dict); properties["start"] != nil {
			out["start"] = 0
		}
		return out
	case "array":
		return []any{example(s["items"].(toolstest.Dict), name, path)}
	case "string":
		if values, ok := s["enum"].([]any); ok {
			return values[0]
		}
		if name == "path" {
			return path
		}
		return "x"
	case "boolean":
		return false
	default:
		low, _ := s["minimum"].(float64)
		return max(low, 0)
	}
}

// misuses returns calls with one wrong argument.
func misuses(in, good toolstest.Dict) (out []misuse) {
	properties := in["properties"].(toolstest.Dict)
	required, _ := in["required"].([]any)
	for name, p := range properties {
		for _, v := range wrongValues(name, p.(toolstest.Dict), good[name]) {
			if v.value == nil && !slices.Contains(required, any(name)) {
				continue // it is an argument that was left out
			}
			out = append(out, misuse{fmt.Sprintf("%s = %s", name, v.what), toolstest.With(good, name, v.value)})
		}
		if slices.Contains(required, any(name)) {
			missing := maps.Clone(good)
			delete(missing, name)
			out = append(out, misuse{"no " + name, missing})
		}
	}
	return out
}

type wrongValue struct {
	what  string
	value any
}

func wrongValues(name string, s toolstest.Dict, good any) (out []wrongValue) {
	add := func(what string, v any) { out = append(out, wrongValue{what, v}) }
	kind := s["type"]
	if either, ok := kind.([]any); ok { // or null
		kind = either[0]
	} else {
		add("null", nil)
	}
	number := func() {
		add("a string", "one")
		add("an infinite text", "inf")
		add("an empty text", "")
		add("true", true)
		if low, ok := s["minimum"].(float64); ok {
			add("too small", low-1)
		}
		add("negative", -1)
		add("huge", 1e300)
		add("very negative", -1e300)
		add("too large", s["maximum"].(float64)+1)
	}
	switch kind {
	case "string":
		add("a number", 5)
		add("a list", []any{"x"})
		if _, ok := s["enum"]; ok {
			add("none of those", "no such value")
			break
		}
		add("too long", strings.Repeat("x", int(s["maxLength"].(float64))+1))
		if _, ok := s["minLength"]; ok {
			add("empty", "")
		}
		if slices.Contains([]string{"content", "text", "name", "topics", "discovery", "pattern", "jupyter_token", "new_text", "reason", "code", "query"}, name) {
			break // any text can be written, run, found and noted, and a session can have any name
		}
		add("a way out", "../../etc/passwd")
		add("a way out in between", "a/../../../etc/passwd")
		add("NUL", "a\x00b.ipynb")
		add("10,000 characters", strings.Repeat("x", 10_000))
	case "integer":
		number()
		add("a fraction", 0.5)
	case "number":
		number()
	case "boolean":
		add("a string", "yes")
		add("a number", 1)
	case "array":
		add("an object", toolstest.Dict{})
		add("a string", "x")
		items := s["items"].(toolstest.Dict)
		if s["minItems"].(float64) > 0 {
			add("an empty list", []any{})
		}
		list, ok := good.([]any)
		if !ok {
			list = []any{example(items, name, "x")}
		}
		add("too many", slices.Repeat(list, int(s["maxItems"].(float64))+1))
		for _, v := range wrongValues(name, items, list[0]) {
			add("a list of "+v.what, []any{v.value})
		}
	case "object":
		add("a list", []any{})
		add("a string", "x")
		if good, ok := good.(toolstest.Dict); ok {
			for _, m := range misuses(s, good) {
				add("one with "+m.what, m.args)
			}
			add("one with a member too many", toolstest.With(good, "no_such_member", 1))
		}
	}
	return out
}
