// Package listing counts what the program's list of tools costs a conversation, and holds it against the rules of those
// who take it. It starts the program without a Jupyter server.
package listing

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tiktoken-go/tokenizer"
)

// What the list of a client that has chosen no toolsets may be. The toolset pair, which will be listed beside core, adds
// at most 4 tools and 1,000 tokens: 20 and 5,000 in all.
const (
	mostTools  = 16
	mostTokens = 4000
)

// mostInstructions is how many tokens the instructions of such a client may be.
const mostInstructions = 300

// listed is the list of tools of the program, started with the arguments.
func listed(t *testing.T, args ...string) []mcp.Tool {
	t.Helper()
	c, _ := started(t, args...)
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

// started is a client of the program, and how that has introduced itself.
func started(t *testing.T, args ...string) (*client.Client, *mcp.InitializeResult) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "nbduet")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/nbduet")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c, err := client.NewStdioMCPClient(program, []string{"NBDUET_STATE=:memory:", "HOME=" + t.TempDir()}, append([]string{"--jupyter-url=http://127.0.0.1:9", "--token=x", "--log-level=error"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the program has served its purpose
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	own, err := c.Initialize(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	return c, own
}

// encodings are the tokenizers of two generations.
var encodings = []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase}

// tokens is how many tokens a text is.
func tokens(t *testing.T, kind tokenizer.Encoding, text string) int {
	t.Helper()
	codec, err := tokenizer.Get(kind)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What the model reads before any tool fits, with the way through an analysis in it.
func TestInstructionsFit(t *testing.T) {
	_, own := started(t)
	for _, kind := range encodings {
		n := tokens(t, kind, own.Instructions)
		t.Logf("%s: %d tokens", kind, n)
		if n > mostInstructions {
			t.Errorf("%s: %d tokens, at most %d:\n%s", kind, n, mostInstructions, own.Instructions)
		}
	}
}

// The default list fits: counted as it is sent, with titles and annotations.
func TestDefaultListFits(t *testing.T) {
	tools := listed(t)
	b, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) > mostTools {
		t.Errorf("%d tools, at most %d", len(tools), mostTools)
	}
	for _, kind := range encodings {
		n := tokens(t, kind, string(b))
		t.Logf("%s: %d tools, %d tokens", kind, len(tools), n)
		if n > mostTokens {
			t.Errorf("%s: %d tokens, at most %d", kind, n, mostTokens)
		}
	}
}

// Every tool of every set can be handed to the providers of models as a function.
func TestProvidersTakeAllTools(t *testing.T) {
	for _, tool := range listed(t, "--toolsets=all", "--output-schemas=full") {
		b, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Name, Description string
			InputSchema       map[string]any
			OutputSchema      map[string]any
		}
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		bad := func(format string, args ...any) { t.Errorf("%s: "+format, append([]any{d.Name}, args...)...) }
		if !everyName.MatchString(d.Name) {
			bad("the name is not %s", everyName)
		}
		if n := len([]rune(d.Description)); n == 0 || n > 300 {
			bad("the description has %d characters", n)
		}
		if d.OutputSchema == nil {
			bad("no output schema")
		}
		for at, s := range map[string]map[string]any{"arguments": d.InputSchema, "result": d.OutputSchema} {
			if s["type"] != "object" {
				bad("the %s are %v, not an object", at, s["type"])
			}
			for _, word := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} { // OpenAI, Anthropic: not at the root
				if s[word] != nil {
					bad("%s at the root of the %s", word, at)
				}
			}
			for _, wrong := range typeLists(s, at) {
				bad("%s", wrong)
			}
		}
		for _, wrong := range geminiRefuses(d.InputSchema, "arguments") {
			bad("%s", wrong)
		}
	}
}

// everyName is what OpenAI (^[a-zA-Z0-9_-]{1,64}$), Anthropic (the same) and Gemini (begins with a letter or _) take.
var everyName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// geminiKnows are the fields of Gemini's Schema that the Gemini API documents (ai.google.dev/api/caching#Schema); a
// request with another is refused as a whole.
var geminiKnows = strings.Fields("type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum")

// geminiRefuses says what of a schema Gemini does not take.
func geminiRefuses(s map[string]any, at string) (wrong []string) {
	for word := range s {
		if !slices.Contains(geminiKnows, word) {
			wrong = append(wrong, fmt.Sprintf("%s has the keyword %s", at, word))
		}
	}
	kind, _ := s["type"].(string)
	members, _ := s["properties"].(map[string]any)
	if !slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, kind) {
		wrong = append(wrong, fmt.Sprintf("%s has the type %v", at, s["type"]))
	}
	if kind == "object" && len(members) == 0 && at != "arguments" {
		wrong = append(wrong, at+" is an object without members")
	}
	for name, m := range members {
		wrong = append(wrong, geminiRefuses(m.(map[string]any), at+"."+name)...)
	}
	for _, name := range stringsIn(s["required"]) {
		if members[name] == nil {
			wrong = append(wrong, fmt.Sprintf("%s requires %s, which it does not have", at, name))
		}
	}
	if values, ok := s["enum"].([]any); ok {
		if kind != "string" || len(stringsIn(s["enum"])) != len(values) || slices.Contains(values, any("")) {
			wrong = append(wrong, fmt.Sprintf("%s has the values %v: only texts that are not empty may be listed", at, values))
		}
	}
	items, ok := s["items"].(map[string]any)
	if ok != (kind == "array") {
		wrong = append(wrong, at+" is a list without items, or has items and is none")
	}
	if ok {
		wrong = append(wrong, geminiRefuses(items, at+"[]")...)
	}
	return wrong
}

// typeLists names the parts of a schema that have several types.
func typeLists(v any, at string) (wrong []string) {
	switch v := v.(type) {
	case map[string]any:
		if list, ok := v["type"].([]any); ok {
			wrong = append(wrong, fmt.Sprintf("%s has the types %v", at, list))
		}
		for name, inner := range v {
			wrong = append(wrong, typeLists(inner, at+"."+name)...)
		}
	case []any:
		for _, inner := range v {
			wrong = append(wrong, typeLists(inner, at)...)
		}
	}
	return wrong
}

func stringsIn(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		if s, ok := one.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
