package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"
)

// Models write null for omitted arguments, and numbers, booleans and lists as strings. If the schema allows no string, the
// meaning is clear, so the value is converted instead of costing the model another call.

// decimal is a number in JSON's form; ParseFloat alone would accept "inf" and "0x1p-2", too.
var decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// understood returns a value converted to the types of its schema. It does not modify the value.
func understood(s *jsonschema.Schema, value any) any {
	if text, ok := value.(string); ok {
		value = fromText(s, text)
	}
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if own := ownName(s, name); v[own] == nil {
				name = own
			}
			p := s.Properties[name]
			switch {
			case member == nil && p != nil && !slices.Contains(s.Required, name):
				continue // null omits an optional argument
			case p != nil:
				member = understood(p, member)
			}
			out[name] = member
		}
		return out
	case []any:
		if s.Items == nil {
			return v
		}
		return lo.Map(v, func(item any, _ int) any { return understood(s.Items, item) })
	}
	return value
}

// argSize is the name of the limit of shown text in the tools that answer in words.
const argSize = "max_chars"

// sizes are all names of that limit, those of the tools' contracts among them. Each tool takes any.
var sizes = []string{argSize, "maxCellData", "maxCellOutputSize", "maxOutputSize", "max_content"}

// OneSize replaces the names of the limit in a text by the name that is listed for tools that answer in words.
var OneSize = strings.NewReplacer("maxCellData", argSize, "maxCellOutputSize", argSize)

// ownName returns the name by which a tool has an argument that others, or earlier versions, name otherwise.
func ownName(s *jsonschema.Schema, name string) string {
	for _, names := range [][]string{sizes, {"query", "wish"}} {
		if s.Properties[name] == nil && slices.Contains(names, name) {
			own, _ := lo.Find(names, func(own string) bool { return s.Properties[own] != nil })
			return cmp.Or(own, name)
		}
	}
	return name
}

// WithOneSize returns the tool with the limit of shown text under the one name that all tools in words have.
func (t Tool) WithOneSize() Tool {
	in := *t.Input.schema
	name := ownName(&in, argSize)
	if name == argSize {
		return t
	}
	in.Properties, in.PropertyOrder = maps.Clone(in.Properties), slices.Clone(in.PropertyOrder)
	in.Properties[argSize] = in.Properties[name]
	delete(in.Properties, name)
	in.PropertyOrder[slices.Index(in.PropertyOrder, name)] = argSize
	handle := t.Handle
	t.Input, t.Description = Schema{&in}, OneSize.Replace(t.Description)
	t.Handle = func(ctx context.Context, req mcp.CallToolRequest) (*Answer, error) {
		req.Params.Arguments = lo.MapKeys(req.GetArguments(), func(_ any, arg string) string { return lo.Ternary(arg == argSize, name, arg) })
		return handle(ctx, req)
	}
	return t
}

// fromText converts a text to a type that the schema allows; it returns the text itself if it cannot.
func fromText(s *jsonschema.Schema, text string) any {
	kinds := kindsOf(s)
	if len(kinds) == 0 || slices.Contains(kinds, "string") {
		return text
	}
	trimmed := strings.TrimSpace(text)
	for _, kind := range kinds {
		switch kind {
		case "integer", "number":
			if v, err := strconv.ParseFloat(trimmed, 64); err == nil && decimal.MatchString(trimmed) {
				return v
			}
		case "boolean":
			switch strings.ToLower(trimmed) {
			case "true":
				return true
			case "false":
				return false
			}
		case "array", "object":
			var v any
			if json.Unmarshal([]byte(trimmed), &v) == nil && isKind(v, kind) {
				return v
			}
		}
	}
	return text
}

// kindsOf returns the types that a schema allows.
func kindsOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// Nearest returns the name most similar to a wrong one, or "" if none is similar.
func Nearest(wrong string, names []string) string {
	if wrong = folded(wrong); len(wrong) > 100 { // too long for a typing error
		return ""
	}
	best, least := "", 1+len(wrong)/3
	for _, name := range names {
		f := folded(name)
		d := levenshtein.Distance(wrong, f, nil)
		if len(wrong) > 2 && (strings.HasSuffix(f, wrong) || strings.HasSuffix(wrong, f)) {
			d = min(d, 1) // "path" for "notebook_path"
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// folded returns a name in the form for comparisons: max_cell_data becomes maxcelldata, like maxCellData.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// members returns the names of an object's members, in the order of the schema.
func members(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) > 0 {
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}
