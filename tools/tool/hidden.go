package tool

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// A hidden argument is accepted by many tools but not listed in their schemas: the description of one tool mentions it, and
// listing it in the others would cost tokens in every conversation. A schema has it as a property that is not in its order,
// because only properties in the order are written.

// cellID marks the schema of an argument that is a cell's id.
const cellID = "cell id"

// CellID marks a text, or the texts of a list, as a cell's id. A tool that takes one also takes the hidden argument person.
func (f Field) CellID() Field {
	f.schema.Comment = cellID
	return f
}

// maxPerson exceeds the length of any name that is shown, in characters.
const maxPerson = 200

// takePerson adds the argument person to a schema of arguments that has a cell's id.
func takePerson(s *jsonschema.Schema) {
	if s.Properties["person"] != nil || !takesCellID(s) {
		return
	}
	s.Properties["person"] = &jsonschema.Schema{Type: "string", MaxLength: new(maxPerson)}
}

// The arguments that control a call while a person is typing.
const (
	ArgWait  = "wait"  // seconds to wait for a pause
	ArgForce = "force" // whether to write anyway
)

// WithManners returns a schema of arguments that takes [ArgWait], up to maxWait seconds, and [ArgForce]. They are hidden
// unless the schema already has them.
func (s Schema) WithManners(maxWait float64) Schema {
	out := *s.schema
	out.Properties = maps.Clone(out.Properties)
	if out.PropertyOrder == nil { // otherwise all would be written
		out.PropertyOrder = slices.Sorted(maps.Keys(out.Properties))
	}
	var least float64
	for name, p := range map[string]*jsonschema.Schema{
		ArgWait:  {Type: "number", Minimum: &least, Maximum: &maxWait},
		ArgForce: {Type: "boolean"},
	} {
		out.Properties[name] = cmp.Or(out.Properties[name], p)
	}
	return Schema{&out}
}

func takesCellID(s *jsonschema.Schema) bool {
	if s.Comment == cellID || s.Items != nil && takesCellID(s.Items) {
		return true
	}
	for _, p := range s.Properties {
		if takesCellID(p) {
			return true
		}
	}
	return false
}

// TakeHidden removes a hidden argument from checked arguments and returns it, or nil if it is missing or the schema lists
// it.
func TakeHidden(s *jsonschema.Schema, args any, name string) any {
	given, _ := args.(map[string]any)
	value, ok := given[name]
	if !ok || s.Properties[name] == nil || slices.Contains(s.PropertyOrder, name) {
		return nil
	}
	delete(given, name)
	return value
}
