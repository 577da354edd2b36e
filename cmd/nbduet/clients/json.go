package clients

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"
)

// jsonMap is JSON with a member that has the servers by their names.
type jsonMap struct {
	key   string
	typed bool // the client wants each server's type
}

// servers is what has the servers, or nil. Its kind is as wanted.
func servers(text []byte, key string, kind hujson.Kind) (root hujson.Value, v *hujson.Value, err error) {
	if root, err = parseJSON(text); err != nil {
		return root, nil, err
	}
	if v = at(&root, key); v != nil && v.Value.Kind() != kind {
		line := 1 + bytes.Count(text[:v.StartOffset], []byte("\n"))
		what := map[hujson.Kind]string{'{': "an object", '[': "a list"}[kind]
		return root, nil, fmt.Errorf("line %d: %q is not %s", line, key, what)
	}
	return root, v, nil
}

func (f jsonMap) read(text []byte) (*entry, error) {
	_, all, err := servers(text, f.key, '{')
	if err != nil || all == nil {
		return nil, err
	}
	own := at(all, name)
	if own == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	members, _ := decode(*own).(map[string]any)
	return entryOf(members), nil
}

// entryOf reads what the client reads of an entry.
func entryOf(members map[string]any) *entry {
	e := &entry{env: make(map[string]string)}
	env := members["env"]
	switch command := members["command"].(type) {
	case string:
		e.command = []string{command}
	case map[string]any: // as Zed had it until 2025
		if path, ok := command["path"].(string); ok {
			e.command = []string{path}
		}
		members, env = command, command["env"]
	}
	args, _ := members["args"].([]any)
	for _, a := range args {
		e.command = append(e.command, fmt.Sprint(a))
	}
	switch env := env.(type) {
	case map[string]any:
		for k, v := range env {
			e.env[k] = fmt.Sprint(v)
		}
	case []any: // as Jupyter AI has it
		for _, v := range env {
			if pair, ok := v.(map[string]any); ok {
				e.env[fmt.Sprint(pair["name"])] = fmt.Sprint(pair["value"])
			}
		}
	}
	for _, key := range []string{"url", "serverUrl", "httpUrl"} {
		if address, ok := members[key].(string); ok && e.remote == "" {
			e.remote = address
		}
	}
	return e
}

func (f jsonMap) put(text []byte, c change) (_ []byte, err error) {
	root, all, err := servers(text, f.key, '{')
	if err != nil {
		return nil, err
	}
	env := object{}
	for _, v := range c.set {
		env = append(env, member{v.name, v.value})
	}
	fresh := object{{"command", c.command[0]}, {"args", stringList(c.command[1:])}}
	if f.typed {
		fresh = append(object{{"type", "stdio"}}, fresh...)
	}
	if all == nil || at(all, name) == nil || at(all, name).Value.Kind() != '{' {
		if len(env) > 0 {
			fresh = append(fresh, member{"env", env})
		}
		if at(&root, f.key) == nil {
			return insert(text, f.key, object{{name, fresh}})
		}
		return set(text, fresh, f.key, name)
	}
	before, err := f.read(text)
	if err != nil {
		return nil, err
	}
	for _, m := range fresh {
		if text, err = set(text, m.value, f.key, name, m.name); err != nil {
			return nil, err
		}
	}
	if v := at(all, name, "env"); v == nil || v.Value.Kind() != '{' {
		if env = merged(before.env, env); len(env) == 0 {
			return text, nil
		}
		return set(text, env, f.key, name, "env")
	}
	for _, m := range env {
		if text, err = set(text, m.value, f.key, name, "env", m.name); err != nil {
			return nil, err
		}
	}
	for _, gone := range c.unset {
		if text, err = unset(text, f.key, name, "env", gone); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (f jsonMap) drop(text []byte) ([]byte, error) { return unset(text, f.key, name) }

func (f jsonMap) rest(text []byte) (any, error) {
	root, all, err := servers(text, f.key, '{')
	if err != nil {
		return nil, err
	}
	everything, _ := decode(root).(map[string]any)
	if all == nil {
		return everything, nil
	}
	others, _ := everything[f.key].(map[string]any)
	if delete(others, name); len(others) == 0 {
		delete(everything, f.key)
	}
	return everything, nil
}
