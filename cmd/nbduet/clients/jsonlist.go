package clients

import (
	"maps"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonList is JSON with a list of servers, which have their names as members, and lists of variables: what Jupyter AI reads.
type jsonList struct{ key string }

// named is the index of the last element of that name, or -1.
func named(v *hujson.Value, name string) int {
	index := -1
	if list, ok := v.Value.(*hujson.Array); ok {
		for i := range list.Elements {
			if n := at(&list.Elements[i], "name"); n != nil && decode(*n) == name {
				index = i
			}
		}
	}
	return index
}

func (f jsonList) read(text []byte) (*entry, error) {
	_, all, err := servers(text, f.key, '[')
	if err != nil || all == nil || named(all, name) < 0 {
		return nil, err
	}
	members, _ := decode(*at(all, named(all, name))).(map[string]any)
	return entryOf(members), nil
}

func (f jsonList) put(text []byte, c change) ([]byte, error) {
	_, all, err := servers(text, f.key, '[')
	if err != nil {
		return nil, err
	}
	fresh := object{{"name", name}, {"command", c.command[0]}, {"args", stringList(c.command[1:])}}
	env := list{}
	for _, v := range c.set {
		env = append(env, object{{"name", v.name}, {"value", v.value}})
	}
	if all == nil || named(all, name) < 0 {
		if len(env) > 0 {
			fresh = append(fresh, member{"env", env})
		}
		if all == nil {
			return insert(text, f.key, list{fresh})
		}
		return insert(text, "", fresh, f.key)
	}
	i := named(all, name)
	for _, m := range fresh {
		if text, err = set(text, m.value, f.key, i, m.name); err != nil {
			return nil, err
		}
	}
	if v := at(all, i, "env"); v == nil || v.Value.Kind() != '[' {
		if len(env) == 0 {
			return text, nil
		}
		return set(text, env, f.key, i, "env")
	}
	for _, v := range c.set {
		if text, err = f.setVariable(text, i, v); err != nil {
			return nil, err
		}
	}
	for _, gone := range c.unset {
		if text, err = f.unsetVariable(text, i, gone); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (f jsonList) setVariable(text []byte, i int, v variable) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if at := named(at(&root, f.key, i, "env"), v.name); at >= 0 {
		return set(text, v.value, f.key, i, "env", at, "value")
	}
	return insert(text, "", object{{"name", v.name}, {"value", v.value}}, f.key, i, "env")
}

func (f jsonList) unsetVariable(text []byte, i int, gone string) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if at := named(at(&root, f.key, i, "env"), gone); at >= 0 {
		return unset(text, f.key, i, "env", at)
	}
	return text, nil
}

func (f jsonList) drop(text []byte) ([]byte, error) {
	for {
		_, all, err := servers(text, f.key, '[')
		if err != nil || all == nil || named(all, name) < 0 {
			return text, err
		}
		text = cut(text, all, named(all, name))
	}
}

func (f jsonList) rest(text []byte) (any, error) {
	root, all, err := servers(text, f.key, '[')
	if err != nil {
		return nil, err
	}
	everything, _ := decode(root).(map[string]any)
	if all == nil {
		return everything, nil
	}
	others, _ := everything[f.key].([]any)
	others = slices.DeleteFunc(others, func(v any) bool {
		m, _ := v.(map[string]any)
		return m["name"] == name
	})
	if everything[f.key] = others; len(others) == 0 {
		delete(everything, f.key)
	}
	return everything, nil
}

// merged is an environment with more of it, whose values win.
func merged(env map[string]string, more object) object {
	all := object{}
	for _, k := range slices.Sorted(maps.Keys(env)) {
		if !slices.ContainsFunc(more, func(m member) bool { return m.name == k }) {
			all = append(all, member{k, env[k]})
		}
	}
	return append(all, more...)
}
