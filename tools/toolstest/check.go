package toolstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// check checks the general rules for a result. full says that it is from a server that answers with structured content
// wherever it may.
func (r *Rig) check(name string, res *mcp.CallToolResult, full bool) {
	r.T.Helper()
	b, err := json.Marshal(res)
	if err != nil {
		r.T.Fatal(err)
	}
	if len(b) > tool.MaxAnswerBytes {
		r.T.Errorf("%s: the answer takes %d bytes", name, len(b))
	}
	if bytes.Contains(b, []byte(r.Server.Token)) {
		r.T.Errorf("%s: the answer holds the token", name)
	}
	if res.IsError {
		checkError(r.T, name, MessageOf(res))
		return
	}
	if shows := shows(res); full && shows == (res.StructuredContent != nil) {
		r.T.Errorf("%s: with pictures or links: %v, with structured content: %v", name, shows, !shows)
	}
	if res.StructuredContent == nil {
		r.checkText(name, res)
		return
	}
	if body, ok := res.StructuredContent.(map[string]any); ok && body["kind"] != nil {
		r.checkUsed(name, res, body)
		return
	}
	text := MessageOf(res)
	var asText any
	if err := json.Unmarshal([]byte(text), &asText); err != nil {
		r.T.Fatalf("%s: the text is not JSON: %v", name, err)
	}
	if !reflect.DeepEqual(asText, firstPart(name, res.StructuredContent)) {
		r.T.Errorf("%s: text and structured content differ:\n%s\n%s", name, text, b)
	}
	if err := strict(r.T, name).Validate(res.StructuredContent); err != nil {
		r.T.Errorf("%s: the result is not what its schema says: %v\n%s", name, err, text)
	}
}

// advised matches an argument that an error advises the caller to give.
var advised = regexp.MustCompile(`\b(?:[Gg]ive|again with) (?:its |this |only )?([a-z]+(?:_[a-z]+)*)\b`)

// argumentsOf returns the arguments of all tools, at any depth, by tool.
var argumentsOf = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, t := range tools.Definitions() {
		all[t.Name] = map[string]bool{}
		for _, m := range regexp.MustCompile(`"([a-z_A-Z]+)":\{`).FindAllStringSubmatch(string(t.Input.Raw()), -1) {
			all[t.Name][m[1]] = true
		}
	}
	return all
})

// checkError checks that an error advises no argument that only other tools have.
func checkError(t *testing.T, name, text string) {
	t.Helper()
	own := argumentsOf()[name]
	if own == nil {
		return // the tool does not exist
	}
	for _, m := range advised.FindAllStringSubmatch(text, -1) {
		for other, has := range argumentsOf() {
			if has[m[1]] && !own[m[1]] && m[1] != target.ArgPerson { // every tool takes that
				t.Errorf("%s has no argument %s, which %s has: %s", name, m[1], other, text)
				break
			}
		}
	}
}

// shows reports whether a result has pictures or links.
func shows(res *mcp.CallToolResult) bool {
	return slices.ContainsFunc(res.Content, func(c mcp.Content) bool {
		_, text := c.(mcp.TextContent)
		return !text
	})
}

// checkText checks the text of a result without structured content: if it is one JSON object, it must match the tool's
// schema.
func (r *Rig) checkText(name string, res *mcp.CallToolResult) {
	r.T.Helper()
	var body map[string]any
	if json.Unmarshal([]byte(MessageOf(res)), &body) != nil || firstPart(name, Dict{}) == nil {
		return
	}
	if err := strict(r.T, name).Validate(body); err != nil {
		r.T.Errorf("%s: the result is not what its schema says: %v\n%s", name, err, MessageOf(res))
	}
}

// fileWarning begins the text that says why a notebook's file is out of date.
const fileWarning = "[WARNING] The notebook's file"

// isRevision reports whether a text of an answer is the revision of the read notebook, which follows the texts of the
// result.
func isRevision(text string) bool { return strings.HasPrefix(text, "[revision ") }

// isNote reports whether a text of an answer is a note beside the result.
func isNote(text string) bool { return strings.HasPrefix(text, "[NOTE] ") }

// checkUsed checks an answer of the toolset datalayer, which is not JSON: its texts are those of the result.
func (r *Rig) checkUsed(name string, res *mcp.CallToolResult, body Dict) {
	r.T.Helper()
	var want, got []string
	switch result := body["result"].(type) {
	case string:
		want = []string{result}
	case []any:
		for _, item := range result {
			if t, ok := item.(string); ok {
				want = append(want, t)
			} else if cell := item.(map[string]any); cell["source"] != nil {
				want = append(want, rewritten(r.T, cell))
			}
		}
	}
	for _, c := range res.Content {
		if t, ok := c.(mcp.TextContent); ok && isRevision(t.Text) {
			if revision, _ := body["revision"].(string); t.Text != fmt.Sprintf("[revision %q]", revision) || revision == "" {
				r.T.Errorf("%s: the revision is %q, the text says %s", name, revision, t.Text)
			}
		} else if ok && !strings.HasPrefix(t.Text, fileWarning) && !isNote(t.Text) {
			if name == "read_cells" {
				if !strings.HasPrefix(t.Text, "{") {
					continue // the note about cells left out
				}
				t.Text = rewritten(r.T, json.RawMessage(t.Text))
			}
			got = append(got, t.Text)
		}
	}
	if !slices.Equal(got, want) {
		r.T.Errorf("%s: texts and structured content differ:\n%q\n%q", name, got, want)
	}
	if err := strict(r.T, name).Validate(res.StructuredContent); err != nil {
		r.T.Errorf("%s: the result is not what its schema says: %v\n%q", name, err, got)
	}
}

// rewritten returns a value as JSON, in a fixed order.
func rewritten(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if b, err = json.Marshal(again); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// firstPart returns the part of the structured content that the first text of an answer has: all of it, except for two tools
// with several texts.
func firstPart(name string, structured any) any {
	body, _ := structured.(map[string]any)
	switch name {
	case "list_documents":
		return body["documents"]
	case "get_document_info":
		info := maps.Clone(body)
		for _, k := range []string{"content", "content_length", "truncated", "revision"} {
			delete(info, k)
		}
		return info
	}
	return structured
}

// strict returns a tool's output schema, with every object closed that names its members.
func strict(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	resolve, ok := stricts()[name]
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	s, err := resolve()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stricts returns the schemas by the names of the tools, each made at its first use. Deriving all of them takes a tenth of a
// second with the race detector, and tests check thousands of answers.
var stricts = sync.OnceValue(func() map[string]func() (*jsonschema.Resolved, error) {
	all := map[string]func() (*jsonschema.Resolved, error){}
	for _, d := range tools.Definitions() {
		all[d.Name] = sync.OnceValues(func() (*jsonschema.Resolved, error) {
			s, err := closed(d.Output.Raw())
			if err != nil {
				return nil, err
			}
			return s.Resolve(nil)
		})
	}
	return all
})

// closed forbids additional members in each object of a schema that names its members.
func closed(schema json.RawMessage) (*jsonschema.Schema, error) {
	var s any
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	shut(s)
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	read := &jsonschema.Schema{}
	return read, json.Unmarshal(b, read)
}

func shut(s any) {
	switch s := s.(type) {
	case []any:
		for _, one := range s {
			shut(one)
		}
	case map[string]any:
		members, object := s["properties"].(map[string]any)
		for _, one := range members {
			shut(one)
		}
		for _, key := range []string{"items", "anyOf"} {
			shut(s[key])
		}
		if object {
			s["additionalProperties"] = false
		}
	}
}
