package listing

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// everyTool is the number of tools in all sets.
const everyTool = 95

// A provider has the rules of a model provider for functions. A request with one invalid tool is refused as a whole.
type provider struct {
	name    string
	sources []string // of these rules

	tool, property *regexp.Regexp // valid names
	tools          int            // most tools in a request, 0 if no limit is known

	known    []string // keywords; all others are refused
	anywhere []string // refused keywords
	root     []string // keywords that are refused at the root, as is any type except object
	strict   []string // keywords that are refused if the tool is strict,
	dropped  []string // and those that the provider's own SDKs turn into text before

	oneType   bool // a type is a word, not a list
	textEnums bool // enum has only nonempty texts
	items     bool // a list has items
	members   bool // an object below the root has properties, including the required ones
	responses bool // also gets the schema of results

	depth, properties, values int // most levels of objects, properties and enum values of a schema, 0 if no limit is known
	texts                     int // most characters of names and values together
	longEnum                  int // most characters of an enum with more than 250 values
}

var plainName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

var providers = []provider{
	{
		name: "OpenAI",
		sources: []string{
			"https://platform.openai.com/docs/api-reference/chat/create",                   // names, 128 functions
			"https://platform.openai.com/docs/guides/structured-outputs#supported-schemas", // strict mode, limits
			"https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai",                // the same as data
			"https://github.com/langchain-ai/langchainjs/issues/9804",                      // the root
			"https://github.com/goruck/home-generative-agent/pull/545",                     // const there
			"https://github.com/streamnative/streamnative-mcp-server/issues/26",            // lists without items
		},
		tool: plainName, tools: 128,
		root: strings.Fields("oneOf anyOf allOf enum const not"),
		strict: strings.Fields("oneOf allOf not dependentRequired dependentSchemas if then else patternProperties unevaluatedProperties " +
			"propertyNames minProperties maxProperties unevaluatedItems contains minContains maxContains uniqueItems"),
		items: true,
		depth: 10, properties: 5000, values: 1000, texts: 120_000, longEnum: 15_000,
	},
	{
		name: "Anthropic",
		sources: []string{
			"https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",                       // names
			"https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations", // strict mode
			"https://github.com/anthropics/claude-code/issues/40075",                                           // the root
			"https://github.com/anthropics/claude-code/issues/79418",                                           // names of properties
		},
		tool: plainName, property: regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`),
		root: strings.Fields("oneOf anyOf allOf"),
		strict: strings.Fields("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems minProperties maxProperties " +
			"oneOf not if then else patternProperties propertyNames dependentRequired dependentSchemas contains prefixItems"),
		dropped: strings.Fields("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems minProperties maxProperties"),
	},
	{
		name: "Gemini",
		sources: []string{
			"https://ai.google.dev/api/caching#Schema",              // keywords
			"https://ai.google.dev/api/caching#FunctionDeclaration", // names
			"https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder", // names of parameters
			"https://cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema",                                                                       // values are texts
		},
		tool: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`), property: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`),
		known: strings.Fields("type format title description nullable enum maxItems minItems properties required minProperties maxProperties " +
			"minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum"),
		anywhere: strings.Fields("$schema $id $ref $defs definitions const oneOf allOf not if then else additionalProperties patternProperties propertyNames " +
			"unevaluatedProperties dependentRequired dependentSchemas exclusiveMinimum exclusiveMaximum multipleOf prefixItems additionalItems " +
			"contains uniqueItems examples readOnly deprecated contentEncoding"),
		oneType: true, textEnums: true, items: true, members: true, responses: true,
	},
}

// Every provider accepts every tool of every set as a function.
func TestProvidersTakeAllTools(t *testing.T) {
	tools := listed(t, "--toolsets=all", "--output-schemas=full")
	if len(tools) != everyTool {
		t.Errorf("%d tools, not %d", len(tools), everyTool)
	}
	for _, beside := range listed(t, "--output-schemas=full") { // two that are listed only without chosen sets
		if !slices.ContainsFunc(tools, func(t mcp.Tool) bool { return t.Name == beside.Name }) {
			tools = append(tools, beside)
		}
	}
	for _, tool := range tools {
		n := len([]rune(tool.Description))
		test.NotEq(t, 0, n, test.Sprint(tool.Name))
		test.LessEq(t, 300, n, test.Sprint(tool.Name))
	}
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			if p.tools > 0 && len(tools) > p.tools {
				t.Errorf("%d tools, at most %d", len(tools), p.tools)
			}
			for _, tool := range tools {
				b, err := json.Marshal(tool)
				if err != nil {
					t.Fatal(err)
				}
				var d struct{ InputSchema, OutputSchema map[string]any }
				if err := json.Unmarshal(b, &d); err != nil {
					t.Fatal(err)
				}
				must.NotNil(t, d.OutputSchema, must.Sprint(tool.Name))
				test.EqOp[any](t, "object", d.OutputSchema["type"], test.Sprint(tool.Name))
				for _, wrong := range p.refuses(tool.Name, d.InputSchema) {
					t.Errorf("%s: %s", tool.Name, wrong)
				}
				if p.responses {
					for _, wrong := range p.words(d.OutputSchema, "result") {
						t.Errorf("%s: %s", tool.Name, wrong)
					}
				}
			}
		})
	}
}

// refuses returns the parts of a tool that the provider does not accept.
func (p provider) refuses(name string, schema map[string]any) (wrong []string) {
	if !p.tool.MatchString(name) {
		wrong = append(wrong, fmt.Sprintf("the name is not %s", p.tool))
	}
	if schema["type"] != "object" {
		wrong = append(wrong, "the arguments are no object")
	}
	for _, word := range p.root {
		if schema[word] != nil {
			wrong = append(wrong, word+" at the root")
		}
	}
	wrong = append(wrong, p.words(schema, "arguments")...)
	wrong = append(wrong, p.forms(schema, "arguments")...)
	var total size
	total.add(schema, 1)
	for what, n := range map[string][2]int{
		"levels": {total.depth, p.depth}, "properties": {total.properties, p.properties}, "values": {total.values, p.values},
		"characters of names and values": {total.texts, p.texts}, "characters of one enum": {total.longEnum, p.longEnum},
	} {
		if n[1] > 0 && n[0] > n[1] {
			wrong = append(wrong, fmt.Sprintf("%d %s, at most %d", n[0], what, n[1]))
		}
	}
	return wrong
}

// words returns the refused keywords of a schema.
func (p provider) words(schema map[string]any, at string) (wrong []string) {
	for _, word := range slices.Sorted(maps.Keys(schema)) {
		strict := slices.Contains(p.strict, word) && !slices.Contains(p.dropped, word)
		if slices.Contains(p.anywhere, word) || strict || p.known != nil && !slices.Contains(p.known, word) {
			wrong = append(wrong, at+" has the keyword "+word)
		}
	}
	if _, list := schema["type"].([]any); list && p.oneType {
		wrong = append(wrong, fmt.Sprintf("%s has the types %v", at, schema["type"]))
	}
	for name, inner := range within(schema) {
		wrong = append(wrong, p.words(inner, at+"."+name)...)
	}
	return wrong
}

// forms returns other refused parts of the arguments: names, values, and empty lists.
func (p provider) forms(schema map[string]any, at string) (wrong []string) {
	members, _ := schema["properties"].(map[string]any)
	for name := range members {
		if p.property != nil && !p.property.MatchString(name) {
			wrong = append(wrong, fmt.Sprintf("%s has a property %q", at, name))
		}
	}
	if kind, _ := schema["type"].(string); p.items && kind == "array" && schema["items"] == nil {
		wrong = append(wrong, at+" is a list without items")
	} else if p.members && kind == "object" && len(members) == 0 && at != "arguments" {
		wrong = append(wrong, at+" is an object without members")
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if name, _ := name.(string); p.members && members[name] == nil {
			wrong = append(wrong, fmt.Sprintf("%s requires %q, which it does not have", at, name))
		}
	}
	values, _ := schema["enum"].([]any)
	for _, v := range values {
		if text, _ := v.(string); p.textEnums && (text == "" || schema["type"] != "string") {
			wrong = append(wrong, fmt.Sprintf("%s has the value %v", at, v))
		}
	}
	for name, inner := range within(schema) {
		wrong = append(wrong, p.forms(inner, at+"."+name)...)
	}
	return wrong
}

// within returns the direct subschemas of a schema.
func within(schema map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	put := func(name string, v any) {
		if inner, ok := v.(map[string]any); ok {
			out[name] = inner
		}
	}
	for _, word := range []string{"properties", "$defs", "definitions"} {
		members, _ := schema[word].(map[string]any)
		for name, v := range members {
			put(name, v)
		}
	}
	for _, word := range []string{"items", "additionalProperties"} {
		put(word, schema[word])
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := schema[word].([]any)
		for i, v := range list {
			put(fmt.Sprintf("%s[%d]", word, i), v)
		}
	}
	return out
}

// A size is the size of a schema.
type size struct{ depth, properties, values, texts, longEnum int }

func (s *size) add(schema map[string]any, depth int) {
	members, isObject := schema["properties"].(map[string]any)
	if isObject {
		s.depth, depth = max(s.depth, depth), depth+1
	}
	s.properties += len(members)
	for name := range members {
		s.texts += len(name)
	}
	values, _ := schema["enum"].([]any)
	s.values += len(values)
	characters := 0
	for _, v := range values {
		characters += len(fmt.Sprint(v))
	}
	if s.texts += characters; len(values) > 250 {
		s.longEnum = max(s.longEnum, characters)
	}
	for _, inner := range within(schema) {
		s.add(inner, depth)
	}
}

// The table works: a small tool with one part that a provider refuses is refused for that, and a tool without it is
// accepted.
func TestProvidersRefuse(t *testing.T) {
	object := func(members map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": members}
	}
	holding := func(v any) map[string]any { return object(map[string]any{"a": v}) }
	text := map[string]any{"type": "string"}
	enum := func(n int, value string) map[string]any {
		return holding(map[string]any{"type": "string", "enum": slices.Repeat([]any{value}, n)})
	}
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			must.SliceNotEmpty(t, p.sources, must.Sprint("no source is given"))
			test.StrHasPrefix(t, "https://", p.sources[0], test.Sprint("no source is given"))
			for _, good := range []map[string]any{{"type": "object"}, holding(text), enum(3, "b"), holding(map[string]any{"type": "array", "items": text, "description": "c"})} {
				if wrong := p.refuses("read", good); len(wrong) > 0 {
					t.Errorf("%v: %v", good, wrong)
				}
			}
			bites := func(what string, schema map[string]any, says string) {
				wrong := p.refuses("read", schema)
				must.SliceLen(t, 1, wrong, must.Sprint(what))
				test.StrContains(t, wrong[0], says, test.Sprint(what))
			}
			for _, word := range slices.Concat(p.anywhere, p.strict) {
				if slices.Contains(p.dropped, word) {
					continue
				}
				for _, deep := range []map[string]any{holding(map[string]any{"type": "string", word: true}), holding(map[string]any{"type": "array", "items": map[string]any{"type": "string", word: true}})} {
					bites(word, deep, "has the keyword "+word)
				}
			}
			for _, word := range p.root {
				if wrong := p.refuses("read", map[string]any{"type": "object", word: []any{}}); !slices.Contains(wrong, word+" at the root") {
					t.Errorf("%s: %v", word, wrong)
				}
			}
			bites("no object", text, "no object")
			if p.items {
				bites("a list of nothing", holding(map[string]any{"type": "array"}), "without items")
			}
			for _, name := range []string{"", "a b", strings.Repeat("x", 65), "é"} {
				if wrong := p.refuses(name, holding(text)); len(wrong) != 1 {
					t.Errorf("the name %q: %v", name, wrong)
				}
				if p.property != nil {
					bites("a property", object(map[string]any{name: text}), "has a property")
				}
			}
			if p.known != nil {
				bites("a new keyword", holding(map[string]any{"type": "string", "x-new": 1}), "x-new")
			}
			if p.oneType {
				bites("types", holding(map[string]any{"type": []any{"string", "null"}}), "has the types")
			}
			if p.textEnums {
				bites("an empty value", enum(1, ""), "has the value")
				bites("a number", holding(map[string]any{"type": "integer", "enum": []any{1.0}}), "has the value 1")
			}
			if p.members {
				bites("an empty object", holding(map[string]any{"type": "object"}), "without members")
				bites("a missing member", map[string]any{"type": "object", "properties": map[string]any{"a": text}, "required": []any{"b"}}, "requires")
			}
			if p.depth > 0 {
				deep := object(nil)
				for range p.depth {
					deep = holding(deep)
				}
				deep["properties"].(map[string]any)["b"] = text
				bites("depth", deep, "levels")
			}
			if p.properties > 0 {
				many := map[string]any{}
				for i := range p.properties + 1 {
					many[fmt.Sprintf("p%d", i)] = text
				}
				bites("properties", object(many), "properties")
			}
			if p.values > 0 {
				bites("values", enum(p.values+1, "b"), "values")
			}
			if p.longEnum > 0 {
				bites("a long enum", enum(251, strings.Repeat("b", p.longEnum/250)), "one enum")
			}
			if p.texts > 0 {
				bites("texts", enum(1, strings.Repeat("b", p.texts)), "names and values")
			}
		})
	}
}
