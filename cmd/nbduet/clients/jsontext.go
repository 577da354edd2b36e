package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

// What is written into JSON: strings, lists and objects, whose members have an order.
type (
	list   []any
	object []member
	member struct {
		name  string
		value any
	}
)

func stringList(words []string) list {
	l := list{}
	for _, w := range words {
		l = append(l, w)
	}
	return l
}

// A layout is how text looks where a value is written.
type layout struct {
	newline string // empty for a value on one line
	indent  string // of the line that the value begins on
	unit    string // what one level more is indented by
	space   string // what comes after commas and colons on one line
}

// render writes a value.
func (l layout) render(v any) string {
	var parts []string
	brackets := "{}"
	switch v := v.(type) {
	case list:
		brackets = "[]"
		for _, e := range v {
			parts = append(parts, l.deeper().render(e))
		}
	case object:
		for _, m := range v {
			parts = append(parts, l.label(m.name)+l.deeper().render(m.value))
		}
	case string:
		return string(hujson.String(v))
	}
	switch {
	case len(parts) == 0:
		return brackets
	case l.newline == "":
		return brackets[:1] + strings.Join(parts, ","+l.space) + brackets[1:]
	}
	begin := l.newline + l.deeper().indent
	return brackets[:1] + begin + strings.Join(parts, ","+begin) + l.newline + l.indent + brackets[1:]
}

func (l layout) deeper() layout {
	l.indent += l.unit
	return l
}

// label begins a member.
func (l layout) label(name string) string {
	space := l.space
	if l.newline != "" {
		space = " "
	}
	return string(hujson.String(name)) + ":" + space
}

// parseJSON reads JSON with comments and commas at ends. An empty file is an empty object, as clients take it.
func parseJSON(text []byte) (hujson.Value, error) {
	if blank(text) {
		return hujson.Value{Value: &hujson.Object{}}, nil
	}
	v, err := hujson.Parse(text)
	if err != nil { // the parser wants a line's end behind a comment that ends the file
		if ended, wrong := hujson.Parse(append(bytes.Clone(text), '\n')); wrong == nil {
			v, err = ended, nil
		}
	}
	if err != nil {
		return v, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if v.Value.Kind() != '{' {
		return v, errors.New("it is not a JSON object, which begins with {")
	}
	return v, nil
}

// decode is the value without comments.
func decode(v hujson.Value) (out any) {
	v = v.Clone()
	v.Standardize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	if d.Decode(&out) != nil { // it was parsed before
		return nil
	}
	return out
}

// at is the value at a path of names and indexes, or nil. Of two members with one name the last counts, as it does for
// clients.
func at(v *hujson.Value, path ...any) *hujson.Value {
	for _, step := range path {
		var next *hujson.Value
		switch c := v.Value.(type) {
		case *hujson.Object:
			for i := range c.Members {
				if name, ok := c.Members[i].Name.Value.(hujson.Literal); ok && name.String() == step {
					next = &c.Members[i].Value
				}
			}
		case *hujson.Array:
			if i, ok := step.(int); ok && i < len(c.Elements) {
				next = &c.Elements[i]
			}
		}
		if v = next; v == nil {
			return nil
		}
	}
	return v
}

// A part is a member of an object, or an element of an array, in the text.
type part struct {
	start, end int
	comma      int // where the comma after it is, or -1
}

// parts are those of a value, and what is behind them, before the closing bracket.
func parts(v *hujson.Value) (all []part, tail hujson.Extra) {
	var after hujson.Extra
	add := func(first, last hujson.Value) {
		all = append(all, part{start: first.StartOffset, end: last.EndOffset, comma: last.EndOffset + len(last.AfterExtra)})
		after = last.AfterExtra
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			add(m.Name, m.Value)
		}
		tail = c.AfterExtra
	case *hujson.Array:
		for _, e := range c.Elements {
			add(e, e)
		}
		tail = c.AfterExtra
	}
	if n := len(all); n > 0 && after == nil {
		all[n-1].comma = -1
	}
	return all, tail
}
