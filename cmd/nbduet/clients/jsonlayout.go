package clients

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/tailscale/hujson"
)

// A composite is an object or a list. A list's element is named by its "name" member.
type composite struct {
	members []hujson.ObjectMember
	after   hujson.Extra // before the closing bracket
	list    bool
}

// compositeOf returns a value as a composite; it is empty if the value is not an object or a list.
func compositeOf(v hujson.Value) (c composite) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		c.members, c.after = v.Members, v.AfterExtra
	case *hujson.Array:
		c.list, c.after = true, v.AfterExtra
		for _, e := range v.Elements {
			m := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: e.BeforeExtra}, Value: e}
			if n := at(e, "name"); n != nil {
				m.Name.Value = n.Value
			}
			m.Value.BeforeExtra = nil
			c.members = append(c.members, m)
		}
	}
	return c
}

func (c composite) value() hujson.ValueTrimmed {
	if !c.list {
		return &hujson.Object{Members: c.members, AfterExtra: c.after}
	}
	list := &hujson.Array{AfterExtra: c.after}
	for _, m := range c.members {
		m.Value.BeforeExtra = m.Name.BeforeExtra
		list.Elements = append(list.Elements, m.Value)
	}
	return list
}

// find returns the index of a name, or -1. The last of two members with one name counts, as it does for clients.
func (c composite) find(name string) int {
	for i, m := range slices.Backward(c.members) {
		if n, ok := m.Name.Value.(hujson.Literal); ok && n.Kind() == '"' && n.String() == name {
			return i
		}
	}
	return -1
}

var (
	lineComments = regexp.MustCompile(`^([ \t]*(//[^\r\n]*|/\*[^\n]*?\*/))*`)
	lineBegin    = regexp.MustCompile(`\r?\n[ \t]*$`)
	lineEnd      = regexp.MustCompile(`^[ \t]*(\r?\n|//)`)
)

// insert adds a member at the end, after the comments that end the previous member's line.
func (d *document) insert(c *composite, p place, name string) {
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{Value: &hujson.Object{}}}
	m.Value.BeforeExtra = hujson.Extra(d.space)
	n := len(c.members)
	if n > 0 && c.members[n-1].Value.AfterExtra != nil { // the parser's mark for a trailing comma
		m.Value.AfterExtra = hujson.Extra{}
	}
	switch {
	case !p.inline:
		inner := p.indent + d.unit
		if n > 0 && bytes.Contains(c.members[0].Name.BeforeExtra, []byte("\n")) {
			inner = indent("", c.members[0].Name.BeforeExtra)
		}
		comments := lineComments.Find(c.after)
		m.Name.BeforeExtra = slices.Concat(comments, []byte(d.newline+inner))
		if c.after = c.after[len(comments):]; !bytes.Contains(c.after, []byte("\n")) {
			c.after = hujson.Extra(d.newline + p.indent)
		}
	case n > 0:
		m.Name.BeforeExtra = hujson.Extra(d.space)
	}
	c.members = append(c.members, m)
}

// removeAt removes all members at a path.
func removeAt(v *hujson.Value, path ...string) {
	c := compositeOf(*v)
	i := c.find(path[0])
	if i < 0 {
		return
	}
	if len(path) > 1 {
		removeAt(&c.members[i].Value, path[1:]...)
	} else {
		for ; i >= 0; i = c.find(path[0]) {
			c.cut(i)
		}
	}
	v.Value = c.value()
}

// cut removes a member with its comma and its line. The text around it stays, even a comment above it, which a person may
// have written.
func (c *composite) cut(i int) {
	m, last := c.members[i], i == len(c.members)-1
	before, behind := m.Name.BeforeExtra, &c.after
	if !last {
		behind = &c.members[i+1].Name.BeforeExtra
	} else if i > 0 { // keep a trailing comma, and add none
		previous := &c.members[i-1].Value
		if m.Value.AfterExtra == nil {
			before, previous.AfterExtra = slices.Concat(previous.AfterExtra, before), nil
		} else if previous.AfterExtra == nil {
			previous.AfterExtra = hujson.Extra{}
		}
	}
	after := *behind
	switch line := lineBegin.FindIndex(before); {
	case line != nil && lineEnd.Match(after):
		before = before[:line[0]]
	case last:
		before = bytes.TrimRight(before, " \t")
	default:
		after = bytes.TrimLeft(after, " \t")
	}
	*behind = slices.Concat(before, after)
	if c.members = slices.Delete(c.members, i, i+1); len(c.members) == 0 && blank(c.after) {
		c.after = nil
	}
}
