package tool

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fields are the members of an object whose schema was derived from a struct. Its methods refine them by name.
type Fields struct{ schema *jsonschema.Schema }

// Field returns a field by its JSON name, or, in a nested object or the objects of a list, by the path of names. It panics
// if the field does not exist.
func (f Fields) Field(path ...string) Field {
	at := f.schema
	for _, name := range path {
		for at.Items != nil {
			at = at.Items
		}
		if at = at.Properties[name]; at == nil {
			panic(fmt.Sprintf("tools: no field %q to refine", path))
		}
	}
	return Field{at}
}

// Optional makes fields optional whose json tags do not.
func (f Fields) Optional(names ...string) {
	f.schema.Required = slices.DeleteFunc(slices.Clone(f.schema.Required), func(name string) bool { return slices.Contains(names, name) })
}

// Hide leaves fields out of the listed schema; they are still accepted, see hidden.go.
func (f Fields) Hide(names ...string) {
	f.schema.PropertyOrder = slices.DeleteFunc(slices.Clone(f.schema.PropertyOrder), func(name string) bool { return slices.Contains(names, name) })
}

// A Field is the schema of one field. Its methods refine it and return it.
type Field struct{ schema *jsonschema.Schema }

// Say sets the description.
func (f Field) Say(description string) Field {
	f.schema.Description = description
	return f
}

// Limit bounds a number, both ends included, or the length of a text in Unicode code points, or the number of a list's
// items. A text that may be empty gets no lower bound.
func (f Field) Limit(low, high int) Field {
	kind := f.schema.Type
	if kind == "" && len(f.schema.Types) > 0 {
		kind = f.schema.Types[0]
	}
	least, most := float64(low), float64(high)
	switch kind {
	case "string":
		if f.schema.MinLength, f.schema.MaxLength = &low, &high; low == 0 {
			f.schema.MinLength = nil
		}
	case "array":
		f.schema.MinItems, f.schema.MaxItems = &low, &high
	default:
		f.schema.Minimum, f.schema.Maximum = &least, &most
	}
	return f
}

// Above bounds a number from below, exclusive, and from above.
func (f Field) Above(low, high float64) Field {
	f.schema.ExclusiveMinimum, f.schema.Maximum = &low, &high
	return f
}

// OneOf sets the values that a text may have.
func (f Field) OneOf(values ...string) Field {
	f.schema.Enum = nil
	for _, v := range values {
		f.schema.Enum = append(f.schema.Enum, v)
	}
	return f
}

// Default sets the value that applies if the caller omits the field.
func (f Field) Default(value any) Field {
	b, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("tools: a default cannot be written: %v", err))
	}
	f.schema.Default = b
	return f
}

// Null also allows null.
func (f Field) Null() Field {
	if f.schema.Type != "" {
		f.schema.Types, f.schema.Type = []string{f.schema.Type, "null"}, ""
	}
	return f
}

// Items returns the schema of a list's items.
func (f Field) Items() Field { return Field{f.schema.Items} }

// Fields returns the fields of an object, or of the objects in a list.
func (f Field) Fields() Fields {
	if f.schema.Items != nil {
		return Fields{f.schema.Items}
	}
	return Fields(f)
}

// ListOf sets the schema of a list's items, for items whose Go type does not determine it.
func (f Field) ListOf(item Schema) Field {
	f.schema.Items = item.schema
	return f
}

// As gives a field the schema of another type, for a field whose own type can hold any JSON.
func (f Field) As(shape Schema) Field {
	description := f.schema.Description
	*f.schema = *shape.schema.CloneSchemas()
	return f.Say(description)
}

// Types sets the JSON types that a field may have, for a field whose Go type does not determine them.
func (f Field) Types(names ...string) Field {
	f.schema.Type, f.schema.Types = "", names
	return f
}
