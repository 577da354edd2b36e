package clients

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML decodes a text, and says in which line a mistake is.
func parseTOML(text []byte) (map[string]any, error) {
	all := make(map[string]any)
	err := toml.Unmarshal(text, &all)
	if wrong := new(toml.DecodeError); errors.As(err, &wrong) {
		line, column := wrong.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return all, err
}

// A statement is a line of TOML that is not only a comment: a table's header, or a key with its value, which may go on in
// further lines.
type statement struct {
	header   bool
	table    []string // that it begins, or is in
	key      []string // from the root
	start    int      // of its line
	end      int      // of its last line, behind the line's end
	from, to int      // of the value
	inline   bool     // the value is a table between braces
}

func statements(text []byte) ([]statement, error) {
	var all []statement
	var table []string
	var p unstable.Parser
	for p.Reset(text); p.NextExpression(); {
		e := p.Expression()
		var key []string
		first, last := -1, 0
		for keys := e.Key(); keys.Next(); {
			k := keys.Node()
			key = append(key, string(k.Data))
			if first < 0 {
				first = int(k.Raw.Offset)
			}
			last = int(k.Raw.Offset + k.Raw.Length)
		}
		s := statement{key: key, header: e.Kind != unstable.KeyValue}
		if s.header {
			table = key
		} else {
			s.key = slices.Concat(table, key)
			s.inline = e.Value().Kind == unstable.InlineTable
			after := bytes.TrimLeft(bytes.TrimLeft(text[last:], " \t")[1:], " \t") // behind the equals sign
			s.from = len(text) - len(after)
			s.to = s.from + len(bytes.TrimRight(text[s.from:e.Raw.Offset+e.Raw.Length], " \t\r\n"))
			last = s.to
		}
		s.table = table
		s.start = bytes.LastIndexByte(text[:first], '\n') + 1
		s.end = len(text)
		if i := bytes.IndexByte(text[last:], '\n'); i >= 0 {
			s.end = last + i + 1
		}
		all = append(all, s)
	}
	return all, p.Error()
}

// below reports whether a key is another, or in its table.
func below(key, above []string) bool {
	return len(key) >= len(above) && slices.Equal(key[:len(above)], above)
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(key ...string) string {
	var parts []string
	for _, k := range key {
		if !bare.MatchString(k) {
			k = tomlString(k)
		}
		parts = append(parts, k)
	}
	return strings.Join(parts, ".")
}

// tomlString writes paths of Windows without escapes.
func tomlString(s string) string {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if strings.ContainsAny(s, `"\`) && !strings.Contains(s, "'") && !strings.ContainsFunc(s, control) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case control(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func tomlList(words []string) string {
	var parts []string
	for _, w := range words {
		parts = append(parts, tomlString(w))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
