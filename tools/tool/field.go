package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// MaxIndex bounds the index of a cell in a schema, far beyond what a notebook holds.
const MaxIndex = 1_000_000

// Fields are the members of an object whose schema was derived from a struct, to be refined by name.
type Fields struct{ schema *jsonschema.Schema }

// Field is one of them by its JSON name; in an object within, or in the objects of a list, by the names that lead there.
// There has to be such a field.
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

// Optional lets a field be left out where its json tag does not say so.
func (f Fields) Optional(names ...string) {
	kept := f.schema.Required[:0:0]
	for _, name := range f.schema.Required {
		absent := false
		for _, n := range names {
			absent = absent || n == name
		}
		if !absent {
			kept = append(kept, name)
		}
	}
	f.schema.Required = kept
}

// A Field is what is said of one field. Its methods refine it and return it.
type Field struct{ schema *jsonschema.Schema }

// Say describes it.
func (f Field) Say(description string) Field {
	f.schema.Description = description
	return f
}

// EndWith lets its description end with a text that others end with too.
func (f Field) EndWith(end string) Field {
	if !strings.HasSuffix(f.schema.Description, end) { // as it does where a Refiner was asked before
		f.schema.Description += end
	}
	return f
}

// Limit bounds a number, both ends allowed; the length of a text in Unicode code points; or the items of a list. A text
// or list that may be empty has no lower bound.
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

// Above bounds a number from below, the bound itself not allowed, and from above.
func (f Field) Above(low, high float64) Field {
	f.schema.ExclusiveMinimum, f.schema.Maximum = &low, &high
	return f
}

// Within bounds a number that need not be whole, both ends allowed.
func (f Field) Within(low, high float64) Field {
	f.schema.Minimum, f.schema.Maximum = &low, &high
	return f
}

// OneOf lists the values that a text may have.
func (f Field) OneOf(values ...string) Field {
	f.schema.Enum = nil
	for _, v := range values {
		f.schema.Enum = append(f.schema.Enum, v)
	}
	return f
}

// Default is the value that is taken where the caller gives none.
func (f Field) Default(value any) Field {
	b, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("tools: a default cannot be written: %v", err))
	}
	f.schema.Default = b
	return f
}

// Null lets it be null as well.
func (f Field) Null() Field {
	if f.schema.Type != "" {
		f.schema.Types, f.schema.Type = []string{f.schema.Type, "null"}, ""
	}
	return f
}

// Items are what is said of each item of a list.
func (f Field) Items() Field { return Field{f.schema.Items} }

// Fields are those of an object, or of the objects of a list.
func (f Field) Fields() Fields {
	if f.schema.Items != nil {
		return Fields{f.schema.Items}
	}
	return Fields(f)
}

// Any lets it be any JSON value.
func (f Field) Any() Field {
	*f.schema = jsonschema.Schema{Description: f.schema.Description}
	return f
}

// ListOf says what the items of a list are, where their type does not.
func (f Field) ListOf(item Schema) Field {
	f.schema.Items = item.schema
	return f
}

// As gives a field the schema of another type than its own, where its own can hold any JSON.
func (f Field) As(shape Schema) Field {
	description := f.schema.Description
	*f.schema = *shape.schema.CloneSchemas()
	return f.Say(description)
}

// Types lets a field be of any of several JSON types, where its Go type does not say which.
func (f Field) Types(names ...string) Field {
	f.schema.Type, f.schema.Types = "", names
	return f
}
