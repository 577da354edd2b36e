package project

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A reader reads a project file in people's forms: one text where a list is expected, a path where a file is described, a
// title alone. It leaves out unreadable parts, and notes them with the line and the expected form.
type reader struct {
	notes []string
	left  int // how many nodes may still be read, since an alias can expand to many
}

// maxNodes bounds the expansion of a file's aliases.
const maxNodes = 200_000

// Parse reads a project file. Unreadable parts are left out and reported in Notes; an error is about the whole file, and
// names the line if possible.
func Parse(text string) (*Project, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("it has %d bytes, but at most %d are read: shorten it", len(text), MaxBytes)
	}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errEmpty
		}
		return nil, plain(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more than one YAML document: keep one")
	}
	root := &doc
	if root.Kind == yaml.DocumentNode {
		if len(root.Content) == 0 {
			return nil, errEmpty
		}
		root = root.Content[0]
	}
	switch {
	case empty(root):
		return nil, errEmpty
	case root.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("line %d: it is %s, wanted keys: project, tech, architecture, modules", root.Line, kind(root))
	}
	r := &reader{left: maxNodes}
	p := r.project(root)
	if r.left < 0 {
		return nil, errors.New("its aliases (*name) expand to too much: write it out")
	}
	p.Notes = r.notes
	return p, nil
}

var errEmpty = errors.New("it is empty: it needs at least project: {name: …}")

func (r *reader) project(root *yaml.Node) *Project {
	p := &Project{}
	top := r.fields(root)
	switch n := top["project"]; {
	case n == nil:
		r.note(root, "the file does not name the project", "project: {name: …}")
	case n.Kind == yaml.ScalarNode: // a title alone
		p.Project.Name = n.Value
	default:
		f := r.mapping(n, "project", "{name, type, path}, or the name alone")
		p.Project.Name, p.Project.Type, p.Project.Path = r.text(f["name"], "project.name"), r.text(f["type"], "project.type"), r.text(f["path"], "project.path")
		if p.Project.Name == "" && n.Kind == yaml.MappingNode && empty(f["name"]) {
			r.note(n, "project has no name", "project: {name: …}")
		}
	}
	switch n := top["tech"]; {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		f := r.fields(n)
		p.Tech.Stack, p.Tech.Runtime, p.Tech.PackageManager = r.texts(f["stack"], "tech.stack"), r.text(f["runtime"], "tech.runtime"), r.text(f["packageManager"], "tech.packageManager")
	default:
		p.Tech.Stack = r.texts(n, "tech")
	}
	switch n := top["architecture"]; {
	case n == nil:
	case n.Kind == yaml.ScalarNode:
		p.Architecture.Pattern = n.Value
	default:
		f := r.mapping(n, "architecture", "{pattern, description}, or the pattern alone")
		p.Architecture.Pattern, p.Architecture.Description = r.text(f["pattern"], "architecture.pattern"), r.text(f["description"], "architecture.description")
	}
	r.modules(p, top["modules"])
	return p
}

// modules reads the modules, as a list or as a map by name.
func (r *reader) modules(p *Project, n *yaml.Node) {
	add := func(at *yaml.Node, m Module) {
		if _, twice := p.Module(m.Name); twice {
			r.note(at, fmt.Sprintf("module %q is defined twice", m.Name), "one of each name")
			return
		}
		p.Modules = append(p.Modules, m)
	}
	switch {
	case empty(n):
	case n.Kind == yaml.MappingNode:
		for name, value := range r.pairs(n) {
			add(name, r.module(value, name.Value, "modules."+name.Value))
		}
	case n.Kind == yaml.SequenceNode:
		for i, item := range r.items(n) {
			at := fmt.Sprintf("modules[%d]", i)
			if item.Kind == yaml.ScalarNode && !empty(item) { // a name alone
				add(item, Module{Name: item.Value})
				continue
			}
			m := r.module(item, "", at)
			switch {
			case m.Name != "":
				add(item, m)
			case item.Kind == yaml.MappingNode:
				r.note(item, at+" has no name", "{name: …, description: …}")
			}
		}
	default:
		r.note(n, "modules is "+kind(n), "a list of {name, description, keyFiles, …}, or such modules by name")
	}
}

// module reads a module. name is its key in a map, "" in a list.
func (r *reader) module(n *yaml.Node, name, at string) Module {
	m := Module{Name: name}
	switch {
	case empty(n) && name != "":
		return m
	case n.Kind == yaml.ScalarNode && name != "":
		m.Description = n.Value
		return m
	}
	f := r.mapping(n, at, "{name, description, keyFiles, patterns, businessRules, commonIssues, dependencies}")
	if name == "" {
		m.Name = r.text(f["name"], at+".name")
	}
	m.Description = r.text(f["description"], at+".description")
	m.KeyFiles = list(r, f["keyFiles"], at+".keyFiles", "a path, or {path, role, description}", func(n *yaml.Node, at string) (File, bool) {
		if n.Kind == yaml.ScalarNode {
			return File{Path: n.Value}, true
		}
		f := r.fields(n)
		file := File{r.text(f["path"], at+".path"), r.text(f["role"], at+".role"), r.text(f["description"], at+".description")}
		return file, file.Path != ""
	})
	m.Patterns = r.texts(f[Patterns], at+"."+Patterns)
	m.BusinessRules = r.texts(f[BusinessRules], at+"."+BusinessRules)
	m.CommonIssues = list(r, f[CommonIssues], at+"."+CommonIssues, "a text, or {description, solution, discoveredAt, sessionId}", func(n *yaml.Node, at string) (Issue, bool) {
		if n.Kind == yaml.ScalarNode {
			return Issue{Description: n.Value}, true
		}
		f := r.fields(n)
		issue := Issue{r.text(f["description"], at+".description"), r.text(f["solution"], at+".solution"), r.text(f["discoveredAt"], at+".discoveredAt"), r.text(f["sessionId"], at+".sessionId")}
		return issue, issue.Description != ""
	})
	m.Dependencies = r.texts(f["dependencies"], at+".dependencies")
	return m
}

// list reads a list whose items are texts or have keys, or one item in place of the list.
func list[T any](r *reader, n *yaml.Node, at, wanted string, read func(n *yaml.Node, at string) (T, bool)) (out []T) {
	if empty(n) {
		return nil
	}
	items, place := []*yaml.Node{n}, func(int) string { return at }
	if n.Kind == yaml.SequenceNode {
		items, place = r.items(n), func(i int) string { return fmt.Sprintf("%s[%d]", at, i) }
	}
	for i, item := range items {
		if empty(item) {
			continue
		}
		noted := len(r.notes)
		if item.Kind != yaml.SequenceNode {
			if v, ok := read(item, place(i)); ok {
				out = append(out, v)
				continue
			}
		}
		if len(r.notes) == noted { // else the wrong field is already named
			r.note(item, place(i)+" is "+kind(item), wanted)
		}
	}
	return out
}

// texts reads a list of texts, or one text.
func (r *reader) texts(n *yaml.Node, at string) []string {
	return list(r, n, at, "a text; one with \": \" in quotation marks", func(n *yaml.Node, _ string) (string, bool) {
		return n.Value, n.Kind == yaml.ScalarNode
	})
}

// text reads a text.
func (r *reader) text(n *yaml.Node, at string) string {
	switch {
	case empty(n):
		return ""
	case n.Kind != yaml.ScalarNode:
		r.note(n, at+" is "+kind(n), "a text")
		return ""
	}
	return n.Value
}

// mapping returns the values of a mapping by their keys.
func (r *reader) mapping(n *yaml.Node, at, wanted string) map[string]*yaml.Node {
	if empty(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.note(n, at+" is "+kind(n), wanted)
		return nil
	}
	return r.fields(n)
}

// fields returns the values of a mapping by their keys; it is empty for other nodes.
func (r *reader) fields(n *yaml.Node) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	for k, v := range r.pairs(n) {
		out[k.Value] = v
	}
	return out
}

// pairs iterates over the keys and values of a mapping, the first of each key; merged keys (<<) follow its own.
func (r *reader) pairs(n *yaml.Node) func(yield func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		seen := map[string]bool{}
		sources := []*yaml.Node{n}
		for at := 0; at < len(sources); at++ {
			if sources[at] == nil || sources[at].Kind != yaml.MappingNode {
				continue
			}
			for i := 0; i+1 < len(sources[at].Content); i += 2 {
				k, v := sources[at].Content[i], r.real(sources[at].Content[i+1])
				switch {
				case k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge":
					if v.Kind == yaml.SequenceNode {
						sources = append(sources, r.items(v)...)
					} else {
						sources = append(sources, v)
					}
				case seen[k.Value] && at == 0:
					r.note(k, fmt.Sprintf("key %q appears twice", k.Value), "each key once")
				case !seen[k.Value]:
					seen[k.Value] = true
					if !yield(k, v) {
						return
					}
				}
			}
		}
	}
}

// items returns the items of a list.
func (r *reader) items(n *yaml.Node) []*yaml.Node {
	if r.left < len(n.Content) {
		r.left = -1
		return nil
	}
	out := slices.Clone(n.Content)
	for i := range out {
		out[i] = r.real(out[i])
	}
	return out
}

// real returns the node of an alias.
func (r *reader) real(n *yaml.Node) *yaml.Node {
	if r.left--; r.left < 0 {
		return &yaml.Node{} // Parse refuses the file
	}
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		there := *n.Alias
		there.Line = n.Line
		return &there
	}
	return n
}

// note records a part that was left out.
func (r *reader) note(n *yaml.Node, what, wanted string) {
	const most = 20
	switch {
	case len(r.notes) < most:
		r.notes = append(r.notes, fmt.Sprintf("line %d: %s, wanted %s", n.Line, what, wanted))
	case len(r.notes) == most:
		r.notes = append(r.notes, "and more")
	}
}

// empty reports whether a value is missing.
func empty(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// kind names the kind of a node.
func kind(n *yaml.Node) string {
	switch {
	case empty(n):
		return "empty"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		var keys []string
		for i := 0; i < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
		}
		if len(keys) > 5 {
			keys = append(keys[:5], "…")
		}
		return "a mapping {" + strings.Join(keys, ", ") + "}"
	}
	return "a text"
}
