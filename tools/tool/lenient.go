package tool

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/lo"
)

// Models write null for what they leave out, and numbers, booleans and lists as texts. What such a value means is plain
// wherever the schema allows no text there, so it is read as that instead of costing the model another call.

// decimal is a number as JSON writes it; ParseFloat alone would take "inf" and "0x1p-2", too.
var decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// understood returns a value as its schema means it. The value itself stays as it is.
func understood(s *jsonschema.Schema, value any) any {
	if text, ok := value.(string); ok {
		value = fromText(s, text)
	}
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			p := s.Properties[name]
			switch {
			case member == nil && p != nil && !slices.Contains(s.Required, name):
				continue // an optional argument that is null is not given
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

// fromText reads a text as what the schema wants instead of one; the text itself if that is not plain.
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

// kindsOf are the types that a schema allows.
func kindsOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// nearest is the name that somebody most likely meant, "" if none is near.
func nearest(wrong string, names []string) string {
	wrong = folded(wrong)
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

// folded is a name as it is compared: max_cell_data is maxCellData.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// members are the names of an object's members, in the order of the schema.
func members(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) > 0 {
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}
