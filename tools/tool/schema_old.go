package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A OldSchema is a JSON Schema as an ordered list of keywords. The order of properties is the order in which a person or
// a model reads them, which a map would lose.
type OldSchema []Keyword

type Keyword struct {
	Name  string
	Value any
}

// MarshalJSON writes the keywords in their order.
func (s OldSchema) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(k.Name)
		if err != nil {
			return nil, fmt.Errorf("write schema keyword %q: %w", k.Name, err)
		}
		value, err := json.Marshal(k.Value)
		if err != nil {
			return nil, fmt.Errorf("write the value of schema keyword %q: %w", k.Name, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// With returns s with one more keyword.
func (s OldSchema) With(name string, value any) OldSchema {
	return append(s[:len(s):len(s)], Keyword{name, value})
}

// Raw returns the schema's JSON; schemas are literals of this package, which the tests marshal and compile.
func (s OldSchema) Raw() json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("tools: a schema cannot be written: %v", err))
	}
	return b
}

// MaxIndex bounds the index of a cell in a schema, far beyond what a notebook holds.
const MaxIndex = 1_000_000

// A Property is one member of an object.
type Property struct {
	name     string
	required bool
	schema   OldSchema
}

func Required(name string, s OldSchema) Property { return Property{name, true, s} }
func Optional(name string, s OldSchema) Property { return Property{name, false, s} }

// Arguments is the schema of a tool's input or of an object in it: nothing that it does not name is accepted.
func Arguments(props ...Property) OldSchema {
	return Object("", props...).With("additionalProperties", false)
}

// Object is the schema of an object in a result; members may be added to it in later versions.
func Object(description string, props ...Property) OldSchema {
	members := OldSchema{}
	names := []string{}
	for _, p := range props {
		members = append(members, Keyword{p.name, p.schema})
		if p.required {
			names = append(names, p.name)
		}
	}
	s := Described("object", description).With("properties", members)
	if len(names) > 0 {
		s = s.With("required", names)
	}
	return s
}

func Described(kind, description string) OldSchema {
	s := OldSchema{{"type", kind}}
	if description != "" {
		s = s.With("description", description)
	}
	return s
}

func Text(description string) OldSchema    { return Described("string", description) }
func Boolean(description string) OldSchema { return Described("boolean", description) }
func Integer(description string) OldSchema { return Described("integer", description) }

// AnyObject is an object whose members are not ours to name, such as a cell's metadata.
func AnyObject(description string) OldSchema { return Described("object", description) }

func List(description string, items OldSchema) OldSchema {
	return Described("array", description).With("items", items)
}

// OneOf is a string out of a fixed set.
func OneOf(description string, values ...string) OldSchema {
	return Text(description).With("enum", values)
}

// OrNull lets a value be null as well.
func (s OldSchema) OrNull() OldSchema {
	out := append(OldSchema{}, s...)
	for i, k := range out {
		if kind, ok := k.Value.(string); ok && k.Name == "type" {
			out[i].Value = []string{kind, "null"}
		}
	}
	return out
}

// Between bounds an integer, both ends allowed.
func (s OldSchema) Between(low, high int) OldSchema {
	return s.With("minimum", low).With("maximum", high)
}

// Length bounds a string, in characters (Unicode code points).
func (s OldSchema) Length(low, high int) OldSchema {
	if low > 0 {
		s = s.With("minLength", low)
	}
	return s.With("maxLength", high)
}

// Items bounds a list.
func (s OldSchema) Items(low, high int) OldSchema {
	return s.With("minItems", low).With("maxItems", high)
}

// Def names the value that is taken where the caller gives none.
func (s OldSchema) Def(value any) OldSchema { return s.With("default", value) }
