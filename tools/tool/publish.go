package tool

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// What a model is shown of a tool's arguments is less than what calls are checked against. Each word of it is paid for in
// every conversation, and hosts hand it on to providers that refuse keywords they do not know: Gemini takes no list of
// types, no exclusiveMinimum and no additionalProperties. A call that goes beyond a limit is told so by its error.

// widest is the largest bound of a number that says something to a model.
const widest = 100_000

// publish returns what of a schema of arguments clients are shown: one type where there are several, which go on being
// accepted, and only those bounds of numbers that say something.
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

// within gives out the items and the members of s as change makes them.
func within(s, out *jsonschema.Schema, change func(*jsonschema.Schema) *jsonschema.Schema) {
	if s.Items != nil {
		out.Items = change(s.Items)
	}
	out.Properties = maps.Clone(s.Properties)
	for name, p := range s.Properties {
		out.Properties[name] = change(p)
	}
}

// describe returns a schema of a result without lists of types, which some hosts do not take; clients may check results
// against it, so that it says the same.
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
