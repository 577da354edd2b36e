package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/lo"
)

// A Schema is the schema of a tool's arguments or of its result.
type Schema struct{ schema *jsonschema.Schema }

// Takes reports whether the schema has a property of that name.
func (s Schema) Takes(name string) bool { return s.schema != nil && s.schema.Properties[name] != nil }

// ArgumentsOf derives the schema of a tool's arguments from the struct that they are decoded into, in the order of its
// fields. A field's json tag names the argument, which is optional with omitempty, its jsonschema tag describes it, and its
// validate and default tags bound it (tags.go). The Refine method of the struct, or of an embedded one ([Refiner]), adds the
// rest, as does refine, which may be nil. Arguments that the struct does not name are not accepted.
func ArgumentsOf[T any](refine func(Fields)) Schema {
	s := derive(reflect.TypeFor[T](), cleaner{})
	if refine != nil {
		refine(Fields{s})
	}
	if s.Properties == nil { // a struct without fields
		s.Properties = map[string]*jsonschema.Schema{}
	}
	takePerson(s)
	closeObjects(s)
	return Schema{s}
}

// ResultOf derives the schema of a tool's result from its struct, as [ArgumentsOf] does. A pointer without omitempty
// may be null, and later versions may add members.
func ResultOf[T any](refine func(Fields)) Schema {
	s := derive(reflect.TypeFor[T](), cleaner{nullable: true})
	if refine != nil {
		refine(Fields{s})
	}
	return Schema{s}
}

// DocumentResultOf is [ResultOf] for an answer about a document ([Answer.Doc]), with a [FileNote].
func DocumentResultOf[T any](refine func(Fields)) Schema {
	out, note := ResultOf[T](refine), derive(reflect.TypeFor[FileNote](), cleaner{})
	maps.Copy(out.schema.Properties, note.Properties)
	out.schema.PropertyOrder = append(out.schema.PropertyOrder, note.PropertyOrder...)
	return out
}

// WithCarets returns the schema of a result with the carets of a [FileNote], which list the people in a cell.
func (s Schema) WithCarets() Schema {
	if s.schema == nil || s.schema.Properties["carets"] != nil {
		return s
	}
	out := *s.schema
	out.Properties = maps.Clone(out.Properties)
	out.Properties["carets"] = derive(reflect.TypeFor[FileNote](), cleaner{}).Properties["carets"]
	out.PropertyOrder = append(slices.Clip(out.PropertyOrder), "carets")
	return Schema{&out}
}

// EitherOf returns the schema of a result that has one of several shapes: an object with the members of all. It does not use
// anyOf, which some hosts do not accept at the root. A member that not all shapes require is optional, and one that they
// describe differently may have either form.
func EitherOf(results ...Schema) Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for i, one := range results {
		for _, name := range one.schema.PropertyOrder {
			p, was := one.schema.Properties[name], s.Properties[name]
			switch {
			case was == nil:
				s.PropertyOrder = append(s.PropertyOrder, name)
				s.Properties[name] = p
			case string(write(was)) != string(write(p)):
				s.Properties[name] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{was, p}}
			}
		}
		if i == 0 {
			s.Required = slices.Clone(one.schema.Required)
		}
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return !slices.Contains(one.schema.Required, name) })
	}
	return Schema{s}
}

// A Refiner adds to the schema of its fields the parts that their types do not determine. Refine is called on the zero
// value.
type Refiner interface{ Refine(f Fields) }

// typeSchemas has the types whose JSON differs from their kind's.
var typeSchemas = map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}

func derive(t reflect.Type, how cleaner) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: typeSchemas})
	if err != nil {
		panic(fmt.Sprintf("tools: %s has no schema: %v", t, err))
	}
	how.clean(t, s)
	return s
}

// A cleaner removes unintended parts from a derived schema: null for types that may be nil in Go, the members of maps, and
// closed objects. Then it calls the Refine methods of the types, inner types first.
type cleaner struct {
	nullable bool // a pointer that is not optional may be null
}

func (how cleaner) clean(t reflect.Type, s *jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if s.Items != nil {
			how.clean(t.Elem(), s.Items)
		}
	case reflect.Map:
		s.AdditionalProperties = nil
	case reflect.Struct:
		s.AdditionalProperties = nil
		how.cleanFields(t, s)
	}
}

func (how cleaner) cleanFields(t reflect.Type, s *jsonschema.Schema) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			inner := field.Type
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			how.cleanFields(inner, s)
		case s.Properties[name] != nil:
			how.clean(field.Type, s.Properties[name])
			Field{s.Properties[name]}.tagged(field.Tag)
			if how.nullable && field.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omit") {
				Field{s.Properties[name]}.Null()
			}
		}
	}
	if r, ok := reflect.Zero(t).Interface().(Refiner); ok {
		r.Refine(Fields{s})
	}
}

// closeObjects disallows unnamed members of objects.
func closeObjects(s *jsonschema.Schema) {
	for _, p := range s.Properties {
		closeObjects(p)
	}
	if s.Items != nil {
		closeObjects(s.Items)
	}
	if s.Type == "object" && s.Properties != nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
}

// Raw returns the schema as JSON, with keywords and properties in the order for readers.
func (s Schema) Raw() json.RawMessage { return write(s.schema) }

// Described returns the published schema of a result, see [describe].
func (s Schema) Described() json.RawMessage { return write(describe(s.schema)) }

// Published returns the published schema of arguments, see [publish].
func (s Schema) Published() json.RawMessage { return write(publish(s.schema)) }

// write writes the keywords of a schema that tools use.
func write(s *jsonschema.Schema) json.RawMessage {
	var out object
	switch {
	case len(s.Types) > 0:
		out.add("type", s.Types)
	case s.Type != "":
		out.add("type", s.Type)
	}
	out.addUnless(s.Description == "", "description", s.Description)
	out.addUnless(s.Enum == nil, "enum", s.Enum)
	if s.Type == "object" && (s.Properties != nil || s.AdditionalProperties != nil) {
		var members object
		for _, name := range s.PropertyOrder {
			members.add(name, write(s.Properties[name]))
		}
		out.add("properties", members.json())
	}
	out.addUnless(len(s.Required) == 0, "required", s.Required)
	out.addUnless(s.AdditionalProperties == nil, "additionalProperties", false)
	out.addUnless(len(s.AnyOf) == 0, "anyOf", lo.Map(s.AnyOf, func(one *jsonschema.Schema, _ int) json.RawMessage { return write(one) }))
	if s.Items != nil {
		out.add("items", write(s.Items))
	}
	out.addUnless(s.MinLength == nil, "minLength", s.MinLength)
	out.addUnless(s.MaxLength == nil, "maxLength", s.MaxLength)
	out.addUnless(s.Minimum == nil, "minimum", s.Minimum)
	out.addUnless(s.ExclusiveMinimum == nil, "exclusiveMinimum", s.ExclusiveMinimum)
	out.addUnless(s.Maximum == nil, "maximum", s.Maximum)
	out.addUnless(s.MinItems == nil, "minItems", s.MinItems)
	out.addUnless(s.MaxItems == nil, "maxItems", s.MaxItems)
	out.addUnless(s.Default == nil, "default", s.Default)
	return out.json()
}

// An object is a JSON object that is written member by member.
type object []byte

// add writes a member whose name needs no escapes.
func (o *object) add(name string, value any) {
	member, written := value.(json.RawMessage)
	if !written {
		var err error
		if member, err = json.Marshal(value); err != nil {
			panic(fmt.Sprintf("tools: the keyword %s of a schema cannot be written: %v", name, err))
		}
	}
	*o = append(append(*o, `,"`+name+`":`...), member...)
}

func (o *object) addUnless(absent bool, name string, value any) {
	if !absent {
		o.add(name, value)
	}
}

func (o *object) json() json.RawMessage {
	if len(*o) == 0 {
		return json.RawMessage("{}")
	}
	return slices.Concat(json.RawMessage("{"), json.RawMessage((*o)[1:]), json.RawMessage("}"))
}
