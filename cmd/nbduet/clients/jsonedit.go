package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// A document is JSON that is edited through its syntax tree, which keeps comments and white space. It also has the layout of
// new text.
type document struct {
	root    hujson.Value
	lists   bool   // the objects at even depths are in lists
	newline string // line ending
	unit    string // indentation of one level
	space   string // after commas and colons on one line
}

// parseJSON reads JSON with comments and trailing commas. An empty file is an empty object, as it is for clients.
func parseJSON(text []byte) (*document, error) {
	d := &document{newline: newline(text), unit: "  ", space: " "}
	if blank(text) {
		d.root = hujson.Value{Value: &hujson.Object{}, AfterExtra: hujson.Extra(d.newline)}
		return d, nil
	}
	v, err := hujson.Parse(bytes.Clone(text))
	if err != nil { // the parser requires a newline after a comment that ends the file
		ended, again := hujson.Parse(append(bytes.Clone(text), '\n'))
		if again != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
		}
		v = ended
		v.AfterExtra = v.AfterExtra[:len(v.AfterExtra)-1]
	}
	if v.Value.Kind() != '{' {
		return nil, errors.New("it is not a JSON object, which begins with {")
	}
	d.root = v
	if c := compositeOf(v); len(c.members) > 0 {
		if own := indent("", c.members[0].Name.BeforeExtra); own != "" {
			d.unit = own
		}
		if !bytes.Contains(bytes.TrimSpace(text), []byte("\n")) && !bytes.Contains(text, []byte(`": `)) {
			d.space = "" // as in files written by programs
		}
	}
	return d, nil
}

// decode returns the value without comments.
func decode(v hujson.Value) (out any) {
	v = hujson.Value{Value: v.Value}.Clone()
	v.Standardize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	if d.Decode(&out) != nil { // it was already parsed
		return nil
	}
	return out
}

// at returns the value at a path of names, or nil.
func at(v hujson.Value, path ...string) *hujson.Value {
	for _, name := range path {
		c := compositeOf(v)
		i := c.find(name)
		if i < 0 {
			return nil
		}
		v = c.members[i].Value
	}
	return &v
}

// strings returns a list on one line.
func (d *document) strings(words []string) *hujson.Array {
	list := &hujson.Array{}
	for i, w := range words {
		v := hujson.Value{Value: hujson.String(w)}
		if i > 0 {
			v.BeforeExtra = hujson.Extra(d.space)
		}
		list.Elements = append(list.Elements, v)
	}
	return list
}

// set sets the value at a path, unless it is equal already. It creates missing parts of the path.
func (d *document) set(value hujson.ValueTrimmed, path ...string) {
	d.setBelow(&d.root, place{indent: indent("", d.root.BeforeExtra)}, value, path)
}

// A place is the position of a value.
type place struct {
	indent string // of its line
	inline bool   // new text there stays on one line
	list   bool   // the value is a list, if the path is not empty
}

// indent returns the indentation of the line after an extra, or outer if the extra has no newline.
func indent(outer string, e hujson.Extra) string {
	i := bytes.LastIndexByte(e, '\n')
	if i < 0 {
		return outer
	}
	return string(e[i+1 : len(e)-len(bytes.TrimLeft(e[i+1:], " \t"))])
}

func (d *document) setBelow(v *hujson.Value, p place, value hujson.ValueTrimmed, path []string) {
	if len(path) == 0 {
		if !reflect.DeepEqual(decode(*v), decode(hujson.Value{Value: value})) {
			v.Value = value
		}
		return
	}
	c := compositeOf(*v)
	if c.list != p.list {
		c = composite{list: p.list}
	}
	if len(c.members) > 0 { // an empty one is formatted like its parent
		p.inline = !bytes.Contains(hujson.Value{Value: v.Value}.Pack(), []byte("\n"))
	}
	i := c.find(path[0])
	fresh := i < 0
	if fresh {
		i = len(c.members)
		d.insert(&c, p, path[0])
	}
	m := &c.members[i]
	below := place{indent(indent(p.indent, m.Name.BeforeExtra), m.Value.BeforeExtra), p.inline, d.lists && !p.list}
	if fresh && c.list {
		d.setBelow(&m.Value, below, hujson.String(path[0]), []string{"name"})
	}
	d.setBelow(&m.Value, below, value, path[1:])
	v.Value = c.value()
}
