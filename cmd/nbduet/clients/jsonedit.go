package clients

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/tailscale/hujson"
)

// look is the layout of a text, at an offset.
func look(text []byte, root *hujson.Value, offset int) layout {
	l := layout{newline: newline(text), indent: indentAt(text, offset), unit: "  ", space: " "}
	all, _ := parts(root)
	if len(all) == 0 {
		return l
	}
	if own, first := alone(text, all[0].start); first && own != "" {
		l.unit = own
	}
	if !bytes.Contains(bytes.TrimSpace(text), []byte("\n")) { // as programs write it
		l.newline = ""
		if !bytes.Contains(text, []byte(`": `)) {
			l.space = ""
		}
	}
	return l
}

// indentAt is the white space that begins the line of an offset.
func indentAt(text []byte, offset int) string {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// alone reports whether nothing but white space is before an offset in its line, and what that is.
func alone(text []byte, offset int) (string, bool) {
	begin := bytes.LastIndexByte(text[:offset], '\n') + 1
	indent := indentAt(text, offset)
	return indent, begin > 0 && begin+len(indent) == offset
}

// lineComments is the end of the comments that follow an offset in its line.
func lineComments(text []byte, offset int) int {
	for {
		rest := bytes.TrimLeft(text[offset:], " \t")
		begin := len(text) - len(rest)
		switch end := bytes.Index(rest[min(2, len(rest)):], []byte("*/")) + 2; {
		case bytes.HasPrefix(rest, []byte("//")):
			line, _, _ := bytes.Cut(rest, []byte("\n"))
			return begin + len(bytes.TrimRight(line, "\r"))
		case bytes.HasPrefix(rest, []byte("/*")) && end > 1 && !bytes.Contains(rest[:end], []byte("\n")):
			offset = begin + end + 2
		default:
			return offset
		}
	}
}

// insert adds a part to the object or array at a path, as the last; the name is for objects.
func insert(text []byte, name string, value any, path ...any) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if blank(text) {
		return []byte(layout{newline: newline(text), unit: "  "}.render(object{{name, value}}) + newline(text)), nil
	}
	into := at(&root, path...)
	all, tail := parts(into)
	l := look(text, &root, into.StartOffset)
	lines := bytes.Contains(text[into.StartOffset:into.EndOffset], []byte("\n"))
	if l.newline != "" && !lines && len(all) > 0 {
		l.newline = "" // one line among others stays one
	}
	label := func(l layout) string {
		if into.Value.Kind() == '[' {
			return ""
		}
		return l.label(name)
	}
	begin := into.EndOffset - 1 - len(tail) // what is behind the last part and its comma
	if len(all) > 0 && all[len(all)-1].comma < 0 {
		text = splice(text, begin, begin, ",")
		begin++
	}
	if l.newline == "" {
		written := label(l) + l.render(value)
		if len(all) > 0 {
			written = l.space + written
			if all[len(all)-1].comma >= 0 {
				written += ","
			}
		}
		return splice(text, begin, begin, written), nil
	}
	outer := l.indent
	l = l.deeper()
	if len(all) > 0 {
		if own, first := alone(text, all[0].start); first {
			l.indent = own
		}
	}
	written := l.newline + l.indent + label(l) + l.render(value)
	if len(all) > 0 && all[len(all)-1].comma >= 0 {
		written += ","
	}
	begin = lineComments(text, begin)
	end := begin
	if rest := bytes.TrimLeft(text[begin:], " \t"); bytes.IndexAny(rest, "}]") == 0 {
		end = len(text) - len(rest)
		written += l.newline + outer
	}
	return splice(text, begin, end, written), nil
}

// set changes the value at a path, unless it is that already.
func set(text []byte, value any, path ...any) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	v := at(&root, path...)
	if v == nil {
		name, _ := path[len(path)-1].(string)
		return insert(text, name, value, path[:len(path)-1]...)
	}
	var wanted any
	l := look(text, &root, v.StartOffset)
	if err := json.Unmarshal([]byte(l.render(value)), &wanted); err != nil || reflect.DeepEqual(decode(*v), wanted) {
		return text, err
	}
	if !bytes.Contains(text[v.StartOffset:v.EndOffset], []byte("\n")) {
		l.newline = ""
	}
	return splice(text, v.StartOffset, v.EndOffset, l.render(value)), nil
}

// cut takes a part out, with its comma. What is written around it stays, even a comment above it: it may be somebody's.
func cut(text []byte, from *hujson.Value, i int) []byte {
	all, _ := parts(from)
	p, last := all[i], i == len(all)-1
	head, rest := bytes.Clone(text[:p.start]), text[max(p.end, p.comma+1):]
	if last && len(all) == 1 && blank(head[from.StartOffset+1:]) && blank(text[max(p.end, p.comma+1):from.EndOffset-1]) {
		return splice(text, from.StartOffset+1, from.EndOffset-1, "")
	}
	if last && i > 0 && p.comma < 0 {
		comma := all[i-1].comma
		head = append(head[:comma], head[comma+1:]...)
	}
	_, first := alone(text, p.start)
	after := bytes.TrimLeft(rest, " \t")
	switch {
	case first && (bytes.HasPrefix(after, []byte("\n")) || bytes.HasPrefix(after, []byte("\r\n")) || bytes.HasPrefix(after, []byte("//"))):
		head = bytes.TrimRight(head, " \t")
		head = bytes.TrimSuffix(bytes.TrimSuffix(head, []byte("\n")), []byte("\r"))
	case last:
		head = bytes.TrimRight(head, " \t")
	case !first:
		rest = after
	}
	return append(head, rest...)
}

// unset takes the part at a path out, if it is there.
func unset(text []byte, path ...any) ([]byte, error) {
	for {
		root, err := parseJSON(text)
		if err != nil {
			return nil, err
		}
		from := at(&root, path[:len(path)-1]...)
		if from == nil {
			return text, nil
		}
		index := -1
		switch c := from.Value.(type) {
		case *hujson.Object:
			for i, m := range c.Members {
				if name, ok := m.Name.Value.(hujson.Literal); ok && name.String() == path[len(path)-1] {
					index = i
				}
			}
		case *hujson.Array:
			if i, ok := path[len(path)-1].(int); ok && i < len(c.Elements) {
				return cut(text, from, i), nil
			}
		}
		if index < 0 {
			return text, nil
		}
		text = cut(text, from, index)
	}
}
