package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A schema is a JSON Schema as an ordered list of keywords. The order of properties is the order in which a person or
// a model reads them, which a map would lose.
type schema []keyword

type keyword struct {
	name  string
	value any
}

// MarshalJSON writes the keywords in their order.
func (s schema) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(k.name)
		if err != nil {
			return nil, fmt.Errorf("write schema keyword %q: %w", k.name, err)
		}
		value, err := json.Marshal(k.value)
		if err != nil {
			return nil, fmt.Errorf("write the value of schema keyword %q: %w", k.name, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// with returns s with one more keyword.
func (s schema) with(name string, value any) schema {
	return append(s[:len(s):len(s)], keyword{name, value})
}

// raw returns the schema's JSON; schemas are literals of this package, which the tests marshal and compile.
func (s schema) raw() json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("tools: a schema cannot be written: %v", err))
	}
	return b
}

// maxIndex bounds the index of a cell in a schema, far beyond what a notebook holds.
const maxIndex = 1_000_000

// A property is one member of an object.
type property struct {
	name     string
	required bool
	schema   schema
}

func required(name string, s schema) property { return property{name, true, s} }
func optional(name string, s schema) property { return property{name, false, s} }

// arguments is the schema of a tool's input or of an object in it: nothing that it does not name is accepted.
func arguments(props ...property) schema {
	return object("", props...).with("additionalProperties", false)
}

// object is the schema of an object in a result; members may be added to it in later versions.
func object(description string, props ...property) schema {
	members := schema{}
	names := []string{}
	for _, p := range props {
		members = append(members, keyword{p.name, p.schema})
		if p.required {
			names = append(names, p.name)
		}
	}
	s := described("object", description).with("properties", members)
	if len(names) > 0 {
		s = s.with("required", names)
	}
	return s
}

func described(kind, description string) schema {
	s := schema{{"type", kind}}
	if description != "" {
		s = s.with("description", description)
	}
	return s
}

func text(description string) schema    { return described("string", description) }
func boolean(description string) schema { return described("boolean", description) }
func integer(description string) schema { return described("integer", description) }

// anyObject is an object whose members are not ours to name, such as a cell's metadata.
func anyObject(description string) schema { return described("object", description) }

func list(description string, items schema) schema {
	return described("array", description).with("items", items)
}

// oneOf is a string out of a fixed set.
func oneOf(description string, values ...string) schema {
	return text(description).with("enum", values)
}

// orNull lets a value be null as well.
func (s schema) orNull() schema {
	out := append(schema{}, s...)
	for i, k := range out {
		if kind, ok := k.value.(string); ok && k.name == "type" {
			out[i].value = []string{kind, "null"}
		}
	}
	return out
}

// between bounds an integer, both ends allowed.
func (s schema) between(low, high int) schema {
	return s.with("minimum", low).with("maximum", high)
}

// length bounds a string, in characters (Unicode code points).
func (s schema) length(low, high int) schema {
	if low > 0 {
		s = s.with("minLength", low)
	}
	return s.with("maxLength", high)
}

// items bounds a list.
func (s schema) items(low, high int) schema {
	return s.with("minItems", low).with("maxItems", high)
}

// def names the value that is taken where the caller gives none.
func (s schema) def(value any) schema { return s.with("default", value) }
