package project

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/samber/lo"
	"go.yaml.in/yaml/v3"
)

// The lists of a module that can be added to.
const (
	Patterns      = "patterns"
	BusinessRules = "businessRules"
	CommonIssues  = "commonIssues"
)

// Add appends an entry to a list of a module: a string for [Patterns] and [BusinessRules], and an [Issue] for
// [CommonIssues]. It returns the new text of the file, which is otherwise unchanged, and whether the entry was present
// already.
func Add(text, module, list string, entry any) (out string, there bool, err error) {
	before, err := Parse(text)
	if err != nil {
		return "", false, err
	}
	want, there, err := added(before, module, list, entry)
	if err != nil || there {
		return text, there, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return "", false, plain(err)
	}
	in := mapping(&doc, module)
	if in == nil {
		return "", false, fmt.Errorf("module %q is not a separate mapping in the text: write it with one key a line", module)
	}
	if out, err = insert(text, in, list, entry); err != nil {
		return "", false, err
	}
	// Check that the new text means the same as before, plus the entry.
	after, err := Parse(out)
	if err == nil && len(after.Notes) == len(want.Notes) {
		after.Notes = want.Notes // its line numbers have changed
	}
	if err != nil || !reflect.DeepEqual(after, want) {
		return "", false, fmt.Errorf("cannot add to %s of module %q as it is written: write it as a list with one entry a line", list, module)
	}
	return out, false, nil
}

// added returns the expected project with the entry.
func added(p *Project, module, list string, entry any) (want *Project, there bool, err error) {
	c := *p
	c.Modules = slices.Clone(p.Modules)
	for i := range c.Modules {
		m := &c.Modules[i]
		if m.Name != module {
			continue
		}
		switch e := entry.(type) {
		case string:
			to := &m.Patterns
			if list == BusinessRules {
				to = &m.BusinessRules
			}
			there = slices.Contains(*to, e)
			*to = append((*to)[:len(*to):len(*to)], e)
		case Issue:
			there = slices.ContainsFunc(m.CommonIssues, func(have Issue) bool {
				return have.Description == e.Description && have.Solution == e.Solution
			})
			m.CommonIssues = append(m.CommonIssues[:len(m.CommonIssues):len(m.CommonIssues)], e)
		default:
			return nil, false, errors.New("only texts and issues can be added")
		}
		return &c, there, nil
	}
	if len(p.Modules) == 0 {
		return nil, false, fmt.Errorf("module not found: %q: the project names no modules", module)
	}
	return nil, false, fmt.Errorf("module not found: %q: known are %s", module, strings.Join(p.Names(), ", "))
}

// mapping finds the entry of a module.
func mapping(doc *yaml.Node, module string) *yaml.Node {
	if len(doc.Content) == 0 {
		return nil
	}
	modules, _ := value(doc.Content[0], "modules")
	if modules == nil {
		return nil
	}
	if modules.Kind == yaml.MappingNode { // by name
		m, _ := value(modules, module)
		if m == nil || m.Kind != yaml.MappingNode {
			return nil
		}
		return m
	}
	for _, m := range modules.Content {
		if name, _ := value(m, "name"); name != nil && name.Value == module {
			return m
		}
	}
	return nil
}

// value finds a key's value, and the key.
func value(m *yaml.Node, key string) (v, k *yaml.Node) {
	if m.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1], m.Content[i]
		}
	}
	return nil, nil
}

// insert writes the entry into the text.
func insert(text string, in *yaml.Node, list string, entry any) (string, error) {
	if in.Style&yaml.FlowStyle != 0 {
		return "", errors.New("the module is written on one line: write it with one key a line")
	}
	lines := strings.SplitAfter(text, "\n")
	have, key := value(in, list)
	switch {
	case key == nil:
		item, err := written(in.Column-1+2, entry)
		if err != nil {
			return "", err
		}
		return splice(lines, end(lines, last(in), in.Column), strings.Repeat(" ", in.Column-1)+list+":\n"+item), nil
	case have.Kind == yaml.SequenceNode && have.Style&yaml.FlowStyle == 0 && len(have.Content) > 0:
		item, err := written(have.Column-1, entry)
		if err != nil {
			return "", err
		}
		return splice(lines, end(lines, last(have), have.Column+1), item), nil
	}
	// The list is on the line of its key, "patterns: [a, b]", or the key has no list: its line is rewritten.
	line := lines[key.Line-1]
	if last(have) != key.Line || strings.TrimSpace(line[:key.Column-1]) != "" {
		return "", fmt.Errorf("%s is written over several lines in brackets: write it as a list with one entry a line", list)
	}
	entries := lo.ToAnySlice(have.Content)
	if have.Kind == yaml.ScalarNode && !empty(have) { // one text in place of a list
		one := *have
		one.LineComment = ""
		entries = []any{&one}
	}
	block, err := written(key.Column-1+2, append(entries, entry)...)
	if err != nil {
		return "", err
	}
	head := line[:key.Column-1] + list + ":"
	if comment := cmp.Or(have.LineComment, key.LineComment); comment != "" {
		head += " " + comment
	}
	lines[key.Line-1] = head + "\n" + block
	return strings.Join(lines, ""), nil
}

// written formats the entries of a list as YAML, each line indented by indent spaces.
func written(indent int, entries ...any) (string, error) {
	b, err := yaml.Marshal(entries)
	if err != nil {
		return "", fmt.Errorf("write the entry: %w", err)
	}
	pad := strings.Repeat(" ", indent)
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(pad)
		}
		out.WriteString(line)
	}
	return out.String(), nil
}

// last returns the last line on which a part of a node begins.
func last(n *yaml.Node) int {
	l := n.Line
	for _, c := range n.Content {
		l = max(l, last(c))
	}
	return l
}

// end returns the line after a value whose last part begins on line from: texts of several lines are indented at least to
// column. Blank lines and comments after it do not belong to it.
func end(lines []string, from, column int) int {
	to := from
	for i := from; i < len(lines); i++ {
		trimmed := strings.TrimSpace(lines[i])
		if trimmed == "" {
			continue
		}
		if indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " ")); indent < column-1 || strings.HasPrefix(trimmed, "#") {
			break
		}
		to = i + 1
	}
	return to
}

// splice inserts a text after the first n lines.
func splice(lines []string, n int, text string) string {
	head := strings.Join(lines[:n], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + text + strings.Join(lines[n:], "")
}
