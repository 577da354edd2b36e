package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlTable is TOML with a table that maps names to servers. The entry is rewritten as a whole, with all its keys, but
// without its comments.
type tomlTable struct{ key string }

// parse decodes a text; an error names the line. servers is nil without servers, and own is nil without an entry.
func (f tomlTable) parse(text []byte) (all, servers, own map[string]any, err error) {
	err = toml.Unmarshal(text, &all)
	if wrong := new(toml.DecodeError); errors.As(err, &wrong) {
		line, column := wrong.Position()
		err = fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	if err != nil || all[f.key] == nil {
		return all, nil, nil, err
	}
	servers, ok := all[f.key].(map[string]any)
	if !ok {
		return nil, nil, nil, fmt.Errorf("%q is not a table", f.key)
	}
	own, _ = servers[name].(map[string]any)
	return all, servers, own, nil
}

func (f tomlTable) read(text []byte) (*entry, error) {
	_, _, own, err := f.parse(text)
	if err != nil || own == nil {
		return nil, err
	}
	return entryOf(own), nil
}

func (f tomlTable) put(text []byte, c change) ([]byte, error) {
	_, _, own, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	if own == nil {
		own = make(map[string]any)
	}
	before := entryOf(own)
	env, _ := own["env"].(map[string]any)
	if env == nil {
		env = make(map[string]any)
	}
	for variable, value := range c.set {
		env[variable] = value
	}
	for _, gone := range c.unset {
		delete(env, gone)
	}
	if own["command"], own["args"], own["env"] = c.command[0], c.command[1:], env; len(env) == 0 {
		delete(own, "env")
	}
	if before.has(c) && maps.Equal(before.env, entryOf(own).env) {
		return text, nil
	}
	written, err := toml.Marshal(map[string]any{f.key: map[string]any{name: own}})
	if err != nil {
		return nil, err
	}
	written = bytes.TrimPrefix(written, []byte("["+f.key+"]\n"))
	return f.replace(text, bytes.ReplaceAll(written, []byte("\n"), []byte(newline(text))))
}

func (f tomlTable) drop(text []byte) ([]byte, error) { return f.replace(text, nil) }

// replace replaces the entry's lines, or appends new ones.
func (f tomlTable) replace(text, with []byte) ([]byte, error) {
	runs, err := f.lines(text)
	if err != nil {
		return nil, err
	}
	end := []byte(newline(text))
	for i, run := range slices.Backward(runs) {
		head, tail := text[:run.from], text[run.to:]
		if header := bytes.HasPrefix(bytes.TrimLeft(text[run.from:], " \t"), []byte("[")); i == 0 && header && with != nil {
			return slices.Concat(head, with, tail), nil
		}
		if bytes.HasSuffix(head, slices.Concat(end, end)) && (len(tail) == 0 || bytes.HasPrefix(tail, end)) {
			head = head[:len(head)-len(end)] // the blank line above it
		}
		text = slices.Concat(head, tail)
	}
	switch {
	case with == nil:
		return text, nil
	case blank(text):
		return with, nil
	case !bytes.HasSuffix(text, end):
		text = slices.Concat(text, end)
	}
	return slices.Concat(text, end, with), nil
}

// A run is a range of whole lines in a text.
type run struct{ from, to int }

// lines returns the entry's lines: headers, keys, and the text between them.
func (f tomlTable) lines(text []byte) (runs []run, err error) {
	var p unstable.Parser
	var table []string
	adjoins := false
	for p.Reset(text); p.NextExpression(); {
		e := p.Expression()
		var key []string
		from, to := len(text), 0
		for keys := e.Key(); keys.Next(); {
			k := keys.Node()
			key = append(key, string(k.Data))
			from, to = min(from, int(k.Raw.Offset)), int(k.Raw.Offset+k.Raw.Length)
		}
		if e.Kind == unstable.KeyValue {
			key = slices.Concat(table, key)
			to = int(e.Raw.Offset) + len(bytes.TrimRight(p.Raw(e.Raw), " \t\r\n"))
		} else {
			table = key
		}
		if len(key) < 2 || key[0] != f.key || key[1] != name {
			adjoins = false
			continue
		}
		if to += bytes.IndexByte(text[to:], '\n') + 1; to > 0 && text[to-1] != '\n' {
			to = len(text)
		}
		if !adjoins {
			runs = append(runs, run{from: bytes.LastIndexByte(text[:from], '\n') + 1})
		}
		runs[len(runs)-1].to, adjoins = to, true
	}
	return runs, p.Error()
}

func (f tomlTable) rest(text []byte) (any, error) {
	all, servers, _, err := f.parse(text)
	if delete(servers, name); len(servers) == 0 {
		delete(all, f.key)
	}
	return all, err
}
