package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlTable is TOML with a table that has the servers by their names.
type tomlTable struct{ key string }

func (f tomlTable) read(text []byte) (*entry, error) {
	own, err := f.own(text)
	if err != nil || own == nil {
		return nil, err
	}
	return entryOf(own), nil
}

// own is the entry as it is, or nil.
func (f tomlTable) own(text []byte) (map[string]any, error) {
	all, err := parseTOML(text)
	if err != nil || all[f.key] == nil {
		return nil, err
	}
	servers, ok := all[f.key].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%q is not a table", f.key)
	}
	own, _ := servers[name].(map[string]any)
	return own, nil
}

func (f tomlTable) put(text []byte, c change) ([]byte, error) {
	own, err := f.own(text)
	if err != nil {
		return nil, err
	}
	if own == nil {
		return f.add(text, c), nil
	}
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	if !plain(all, f.key, name) {
		return f.rewrite(text, own, c)
	}
	if text, err = setTOML(text, tomlString(c.command[0]), f.key, name, "command"); err != nil {
		return nil, err
	}
	if text, err = setTOML(text, tomlList(c.command[1:]), f.key, name, "args"); err != nil {
		return nil, err
	}
	for _, v := range c.set {
		if text, err = setTOML(text, tomlString(v.value), f.key, name, "env", v.name); err != nil {
			return nil, err
		}
	}
	for _, gone := range c.unset {
		if text, err = dropTOML(text, f.key, name, "env", gone); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// plain reports whether the entry is a table with a header, and so is its environment, as everybody writes them.
func plain(all []statement, own ...string) bool {
	headers := 0
	for _, s := range all {
		switch {
		case !below(s.key, own):
		case s.header && len(s.key) == len(own):
			headers++
		case !s.header && (!below(s.table, own) || len(s.key) > len(s.table)+1 || s.inline && s.key[len(own)] == "env"):
			return false
		}
	}
	return headers == 1
}

// add writes the entry behind everything else.
func (f tomlTable) add(text []byte, c change) []byte {
	lines := []string{
		"[" + tomlKey(f.key, name) + "]",
		"command = " + tomlString(c.command[0]),
		"args = " + tomlList(c.command[1:]),
	}
	if len(c.set) > 0 {
		lines = append(lines, "", "["+tomlKey(f.key, name, "env")+"]")
	}
	for _, v := range c.set {
		lines = append(lines, tomlKey(v.name)+" = "+tomlString(v.value))
	}
	return appendTOML(text, lines)
}

func appendTOML(text []byte, lines []string) []byte {
	end := newline(text)
	switch {
	case blank(text):
		text = nil
	case text[len(text)-1] != '\n':
		text = append(text, end+end...)
	default:
		text = append(text, end...)
	}
	return append(text, strings.Join(lines, end)+end...)
}

// rewrite writes the entry anew, with what else it has, in place of one that is written as nobody else writes it.
func (f tomlTable) rewrite(text []byte, own map[string]any, c change) ([]byte, error) {
	args := make([]any, 0, len(c.command))
	for _, a := range c.command[1:] {
		args = append(args, a)
	}
	env, _ := own["env"].(map[string]any)
	if env == nil {
		env = make(map[string]any)
	}
	for _, v := range c.set {
		env[v.name] = v.value
	}
	for _, gone := range c.unset {
		delete(env, gone)
	}
	before := entryOf(own)
	if own["command"], own["args"] = c.command[0], args; len(env) > 0 {
		own["env"] = env
	}
	if after := entryOf(own); slices.Equal(before.command, after.command) && len(c.unset) == 0 && containsAll(before.env, c.set) {
		return text, nil
	}
	written, err := toml.Marshal(map[string]any{f.key: map[string]any{name: own}})
	if err != nil {
		return nil, err
	}
	written = bytes.TrimPrefix(written, []byte("["+f.key+"]\n"))
	if text, err = f.drop(text); err != nil {
		return nil, err
	}
	return appendTOML(text, strings.Split(strings.TrimSpace(string(written)), "\n")), nil
}

// setTOML gives a key, which is written in a table with a header, a value. Where the table is not there, it comes behind
// that which it is in.
func setTOML(text []byte, value string, key ...string) ([]byte, error) {
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	table := key[:len(key)-1]
	line := tomlKey(key[len(key)-1]) + " = " + value + newline(text)
	behind, outer := -1, -1
	for _, s := range all {
		switch {
		case !s.header && slices.Equal(s.key, key):
			if sameTOML(text[s.from:s.to], value) {
				return text, nil
			}
			return splice(text, s.from, s.to, value), nil
		case slices.Equal(s.table, table):
			behind = s.end
		case slices.Equal(s.table, table[:len(table)-1]):
			outer = s.end
		}
	}
	if behind < 0 {
		behind, line = outer, newline(text)+"["+tomlKey(table...)+"]"+newline(text)+line
	}
	if text[behind-1] != '\n' { // the last line of the file has no end
		line = newline(text) + line
	}
	return splice(text, behind, behind, line), nil
}

// sameTOML reports whether two values are one, however they are written.
func sameTOML(a []byte, b string) bool {
	var x, y struct{ V any }
	return toml.Unmarshal(append([]byte("V = "), a...), &x) == nil && toml.Unmarshal([]byte("V = "+b), &y) == nil &&
		fmt.Sprintf("%#v", x) == fmt.Sprintf("%#v", y)
}

// dropTOML takes out a key and all that is below it. Comments around it stay.
func dropTOML(text []byte, key ...string) ([]byte, error) {
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		if !below(s.key, key) {
			continue
		}
		from, to := s.start, s.end
		for i > 0 && below(all[i-1].key, key) && !s.header { // a table goes with what is between its lines
			i--
			s = all[i]
			from = s.start
		}
		before, after := text[:from], text[to:]
		if _, rest, found := bytes.Cut(after, []byte("\n")); s.header && (len(after) == 0 || found && blank(after[:len(after)-len(rest)])) {
			if trimmed, had := blankLineBefore(before); had {
				before = trimmed
			} else if len(before) == 0 {
				after = rest
			}
		}
		text = slices.Concat(before, after)
	}
	return text, nil
}

// blankLineBefore takes off the last line of a text, if there is nothing in it.
func blankLineBefore(text []byte) ([]byte, bool) {
	lines := bytes.TrimSuffix(text, []byte("\n"))
	i := bytes.LastIndexByte(lines, '\n') + 1
	if len(lines) == len(text) || !blank(lines[i:]) {
		return text, false
	}
	return text[:i], true
}

func (f tomlTable) drop(text []byte) ([]byte, error) { return dropTOML(text, f.key, name) }

func (f tomlTable) rest(text []byte) (any, error) {
	all, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if others, ok := all[f.key].(map[string]any); ok {
		if delete(others, name); len(others) == 0 {
			delete(all, f.key)
		}
	}
	return all, nil
}
