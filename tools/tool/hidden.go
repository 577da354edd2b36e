package tool

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// A hidden argument is accepted by many tools and listed by none: a description of one tool tells of it, and each of the
// others would have to pay for it in every conversation. A schema has it as a property that is not in its order, which is
// what is written.

// cellID marks the schema of an argument that is a cell's id.
const cellID = "cell id"

// CellID says that a text, or the texts of a list, is a cell's id: a tool that takes one takes the hidden argument person,
// too.
func (f Field) CellID() Field {
	f.schema.Comment = cellID
	return f
}

// maxPerson is more characters than any name has that is shown.
const maxPerson = 200

// takePerson lets a schema of arguments that takes a cell's id take the argument person.
func takePerson(s *jsonschema.Schema) {
	if s.Properties["person"] != nil || !takesCellID(s) {
		return
	}
	s.Properties["person"] = &jsonschema.Schema{Type: "string", MaxLength: new(maxPerson)}
}

// The arguments that say what a call does where somebody is typing.
const (
	ArgWait  = "wait"  // seconds to wait until they pause
	ArgForce = "force" // whether to write all the same
)

// WithManners returns a schema of arguments that takes [ArgWait], up to so many seconds, and [ArgForce], hidden unless it has
// them.
func (s Schema) WithManners(maxWait float64) Schema {
	out := *s.schema
	out.Properties = maps.Clone(out.Properties)
	if out.PropertyOrder == nil { // else all would be written
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

// TakeHidden removes a hidden argument from checked arguments and returns it; nil if it is not given or the schema lists it.
func TakeHidden(s *jsonschema.Schema, args any, name string) any {
	given, _ := args.(map[string]any)
	value, ok := given[name]
	if !ok || s.Properties[name] == nil || slices.Contains(s.PropertyOrder, name) {
		return nil
	}
	delete(given, name)
	return value
}
