package tool

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// The published schema of a tool's arguments is smaller than the one that checks calls. Each word costs tokens in every
// conversation, and hosts pass it on to providers that refuse keywords they do not know: Gemini accepts no list of types, no
// exclusiveMinimum and no additionalProperties. A call that exceeds a limit gets an error that states it.

// widest is the largest bound of a number that is published, because larger ones do not help a model.
const widest = 100_000

// publish returns the part of a schema of arguments that clients see: one of several types, all of which are accepted, and only
// the useful bounds of numbers.
func publish(s *jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{
		Type: s.Type, Description: s.Description, Enum: s.Enum, Required: s.Required,
		PropertyOrder: s.PropertyOrder, Default: s.Default,
	}
	if len(s.Types) > 0 {
		out.Type = s.Types[0]
		if at := slices.IndexFunc(s.Types, func(kind string) bool { return kind != "null" }); at >= 0 {
			out.Type = s.Types[at]
		}
	}
	if s.Minimum != nil && *s.Minimum != 0 && *s.Minimum != 1 {
		out.Minimum = s.Minimum
	}
	if s.Maximum != nil && *s.Maximum <= widest {
		out.Maximum = s.Maximum
	}
	within(s, out, publish)
	return out
}

// within sets the items and the members of out to those of s, converted by change.
func within(s, out *jsonschema.Schema, change func(*jsonschema.Schema) *jsonschema.Schema) {
	if s.Items != nil {
		out.Items = change(s.Items)
	}
	out.Properties = maps.Clone(s.Properties)
	for name, p := range s.Properties {
		out.Properties[name] = change(p)
	}
}

// describe returns a schema of a result without lists of types, which some hosts do not accept. It has the same meaning,
// because clients may check results against it.
func describe(s *jsonschema.Schema) *jsonschema.Schema {
	out := *s
	if len(s.Types) > 0 {
		out.Types = nil
		for _, kind := range s.Types {
			out.AnyOf = append(slices.Clip(out.AnyOf), &jsonschema.Schema{Type: kind})
		}
	} else if s.AnyOf != nil {
		out.AnyOf = nil
		for _, one := range s.AnyOf {
			out.AnyOf = append(out.AnyOf, describe(one))
		}
	}
	within(s, &out, describe)
	return &out
}
