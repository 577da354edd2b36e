package clients

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonFile is JSON with an object that maps names to servers.
type jsonFile struct {
	key   string
	typed string // the type of a server that is started, if the client requires one
	list  bool   // servers and variables are in lists, with their names as members, as in Jupyter AI
	// more are further members, in JSON, for entries without them. They make a client show all tools to its model, which
	// otherwise sees only their names.
	more map[string]string
}

// parse parses a text and checks that its servers, if present, have the client's type.
func (f jsonFile) parse(text []byte) (*document, error) {
	d, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	d.lists = f.list
	kind, what := hujson.Kind('{'), "an object"
	if f.list {
		kind, what = '[', "a list"
	}
	if v := at(d.root, f.key); v != nil && v.Value.Kind() != kind {
		return nil, fmt.Errorf("line %d: %q is not %s", 1+bytes.Count(text[:v.StartOffset], []byte("\n")), f.key, what)
	}
	return d, nil
}

func (f jsonFile) read(text []byte) (*entry, error) {
	d, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	return f.entry(d), nil
}

// entry returns the entry of a document, or nil.
func (f jsonFile) entry(d *document) *entry {
	own := at(d.root, f.key, name)
	if own == nil {
		return nil
	}
	members, _ := decode(*own).(map[string]any)
	return entryOf(members)
}

func (f jsonFile) put(text []byte, c change) ([]byte, error) {
	d, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	before := f.entry(d)
	if f.typed != "" {
		d.set(hujson.String(f.typed), f.key, name, "type")
	}
	d.set(hujson.String(c.command[0]), f.key, name, "command")
	d.set(d.strings(c.command[1:]), f.key, name, "args")
	for _, member := range slices.Sorted(maps.Keys(f.more)) {
		if at(d.root, f.key, name, member) == nil {
			v, err := hujson.Parse([]byte(f.more[member]))
			if err != nil {
				return nil, fmt.Errorf("write %s: %w", member, err)
			}
			d.set(v.Value, f.key, name, member)
		}
	}
	env := maps.Clone(c.set)
	if now := at(d.root, f.key, name, "env"); before != nil && (now == nil || now.Value.Kind() != at(d.root, f.key).Value.Kind()) {
		env = before.env // from its place in older versions of a client
		maps.Copy(env, c.set)
	}
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		path := []string{f.key, name, "env", variable}
		if f.list {
			path = append(path, "value")
		}
		d.set(hujson.String(env[variable]), path...)
	}
	for _, gone := range c.unset {
		removeAt(&d.root, f.key, name, "env", gone)
	}
	return d.root.Pack(), nil
}

func (f jsonFile) drop(text []byte) ([]byte, error) {
	d, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	removeAt(&d.root, f.key, name)
	return d.root.Pack(), nil
}

func (f jsonFile) rest(text []byte) (any, error) {
	d, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	all, _ := decode(d.root).(map[string]any)
	left := 0
	switch servers := all[f.key].(type) {
	case map[string]any:
		delete(servers, name)
		left = len(servers)
	case []any:
		servers = slices.DeleteFunc(servers, func(v any) bool {
			server, _ := v.(map[string]any)
			return server["name"] == name
		})
		all[f.key], left = servers, len(servers)
	}
	if left == 0 {
		delete(all, f.key)
	}
	return all, nil
}
