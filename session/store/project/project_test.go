package project

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const example = `# What the shop is made of.
project:
    name: Shop   # the whole
    type: fullstack
    path: /srv/shop

tech: {stack: [python, duckdb], runtime: CPython 3.13, packageManager: uv}

architecture:
  pattern: pipeline
  description: >
    Raw files in,
    one model out.

modules:
  # First the loading.
  - name: load
    description: Reads the raw files.
    keyFiles:
      - {path: load.ipynb, role: entry, description: Run it first.}
    patterns:
      - One function for each source.
      - |
        Long ones
          on lines.

      # the last comment
    businessRules: [Prices are net, "Dates: UTC"] # as agreed
    commonIssues:
    - description: Dates are text
      solution: parse_dates=[0]
      discoveredAt: 2026-01-15
      sessionId: ab12
    dependencies: [clean]

  - name: clean
    patterns: []
    businessRules:

  # The end.
  - name: größe 😀
other: kept`

func TestParse(t *testing.T) {
	p, err := Parse(example)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := p.Module("load")
	must.True(t, ok)
	test.Eq(t, "Shop", p.Project.Name)
	test.Eq(t, "uv", p.Tech.PackageManager)
	test.Eq(t, "Raw files in, one model out.\n", p.Architecture.Description)
	test.Eq(t, []string{"load", "clean", "größe 😀"}, p.Names())
	test.Eq(t, "entry", m.KeyFiles[0].Role)
	must.SliceLen(t, 2, m.Patterns)
	test.Eq(t, "2026-01-15", m.CommonIssues[0].DiscoveredAt)
	test.Eq(t, "clean", m.Dependencies[0])
	if _, ok := p.Module("Load"); ok {
		t.Error("names are not case-sensitive")
	}
}

func TestParseRefuses(t *testing.T) {
	// Each level expands to a hundred of the one below.
	bomb := "i: &i {description: x}\nb: &b [" + strings.Repeat("*i,", 100) + "]\nm: &m {commonIssues: *b}\nl: &l [" + strings.Repeat("*m,", 100) + "]\n" +
		"project: a\nmodules:\n" + strings.Repeat("- {name: x, <<: *m}\n", 3000)
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", "empty"},
		"comment only":  {"# nothing\n", "empty"},
		"broken":        {"project:\n  name: [a\nmodules: 1", "line "},
		"a tab":         {"project:\n\tname: a", "line 2"},
		"a list":        {"- a", "line 1: it is a list"},
		"two documents": {"project: {name: a}\n---\nproject: {name: b}", "more than one"},
		"huge":          {"project: {name: a}\n" + strings.Repeat("#", MaxBytes), "bytes"},
		"aliases":       {bomb, "aliases"},
		"itself":        {"project: &a\n  <<: *a\n  name: x", "aliases"},
	} {
		if p, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		} else if p != nil || strings.Contains(err.Error(), "project.") || strings.Contains(err.Error(), "unmarshal") {
			t.Errorf("%s: %v names a type of Go's", name, err)
		}
	}
}

// A file is read in people's forms.
func TestParseIsLenient(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a title alone":          {"project: Shop", `{"project":{"name":"Shop"}}`},
		"a number as title":      {"project: 2026", `{"project":{"name":"2026"}}`},
		"texts for lists":        {"project: a\ntech: {stack: python}\nmodules: [{name: x, patterns: one, businessRules: two, dependencies: y}]", `{"project":{"name":"a"},"tech":{"stack":["python"]},"modules":[{"name":"x","patterns":["one"],"businessRules":["two"],"dependencies":["y"]}]}`},
		"a list for tech":        {"project: a\ntech: [python, r]", `{"project":{"name":"a"},"tech":{"stack":["python","r"]}}`},
		"architecture in a word": {"project: a\narchitecture: mvc", `{"project":{"name":"a"},"architecture":{"pattern":"mvc"}}`},
		"modules by name":        {"project: a\nmodules:\n  x:\n    description: d\n    patterns: [p]\n  y:\n  z: in a word", `{"project":{"name":"a"},"modules":[{"name":"x","description":"d","patterns":["p"]},{"name":"y"},{"name":"z","description":"in a word"}]}`},
		"modules as names":       {"project: a\nmodules: [x, y]", `{"project":{"name":"a"},"modules":[{"name":"x"},{"name":"y"}]}`},
		"key files as paths":     {"project: a\nmodules: [{name: x, keyFiles: [a.py, {path: b.py, role: r}]}, {name: y, keyFiles: c.py}]", `{"project":{"name":"a"},"modules":[{"name":"x","keyFiles":[{"path":"a.py"},{"path":"b.py","role":"r"}]},{"name":"y","keyFiles":[{"path":"c.py"}]}]}`},
		"issues as texts":        {"project: a\nmodules: [{name: x, commonIssues: [slow]}]", `{"project":{"name":"a"},"modules":[{"name":"x","commonIssues":[{"description":"slow"}]}]}`},
		"merged":                 {"project: a\nbase: &b {description: d}\nmodules:\n- {name: x, <<: *b}\n- *b", `{"project":{"name":"a"},"modules":[{"name":"x","description":"d"}]} line 5: modules[1] has no name, wanted {name: …, description: …}`},
		"no name":                {"project: {type: x}", `{"project":{"type":"x"}} line 1: project has no name, wanted project: {name: …}`},
		"no project":             {"modules: [x]", `{"modules":[{"name":"x"}]} line 1: the file does not name the project, wanted project: {name: …}`},
		"another type":           {"project:\n  name: a\nmodules:\n  - name: [b]\n  - name: c", `{"project":{"name":"a"},"modules":[{"name":"c"}]} line 4: modules[0].name is a list, wanted a text; line 4: modules[0] has no name, wanted {name: …, description: …}`},
		"a module twice":         {"project: a\nmodules: [x,\n x]", `{"project":{"name":"a"},"modules":[{"name":"x"}]} line 3: module "x" is defined twice, wanted one of each name`},
		"a colon in a text":      {"project: a\nmodules:\n- name: x\n  patterns:\n  - Dates: UTC\n  - kept", `{"project":{"name":"a"},"modules":[{"name":"x","patterns":["kept"]}]} line 5: modules[0].patterns[0] is a mapping {Dates}, wanted a text; one with ": " in quotation marks`},
		"files by path":          {"project: a\nmodules:\n- name: x\n  keyFiles: {a.py: entry}", `{"project":{"name":"a"},"modules":[{"name":"x"}]} line 4: modules[0].keyFiles is a mapping {a.py}, wanted a path, or {path, role, description}`},
		"modules in a word":      {"project: a\nmodules: many", `{"project":{"name":"a"}} line 2: modules is a text, wanted a list of {name, description, keyFiles, …}, or such modules by name`},
		"a key twice":            {"project: a\nproject: b", `{"project":{"name":"a"}} line 2: key "project" appears twice, wanted each key once`},
	} {
		p, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, notes, left := strings.Cut(c.want, " line ")
		if left {
			notes = "line " + notes
		}
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		got := plainOf(t, p)
		test.Eq(t, want, got, test.Sprint(name, c.want))
		test.Eq(t, notes, strings.Join(p.Notes, "; "), test.Sprint(name, c.want))
	}
}

// plainOf returns the content of a project, by the keys of the file.
func plainOf(t *testing.T, p *Project) any {
	t.Helper()
	y, err := yaml.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal(y, &v); err != nil {
		t.Fatal(err)
	}
	return pruned(v)
}

// pruned returns a value without its empty parts, nil for an empty one.
func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(k string, e any) bool {
			v[k] = pruned(e)
			return v[k] == nil
		})
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	}
	return v
}

// An addition leaves all else unchanged, byte for byte, except a list in brackets, which becomes one of lines.
func TestAdd(t *testing.T) {
	issue := Issue{Description: "Slow: the join", Solution: "an index\nand a filter", DiscoveredAt: "2026-02-01", SessionID: "cd34"}
	for name, c := range map[string]struct {
		module, list string
		entry        any
		gone, is     string // the old and the new text at the place
	}{
		"behind a long text": {
			"load", Patterns, "Check: the size # really",
			"          on lines.\n", "          on lines.\n      - 'Check: the size # really'\n",
		},
		"to a list in brackets": {
			"load", BusinessRules, "- dash",
			"    businessRules: [Prices are net, \"Dates: UTC\"] # as agreed\n",
			"    businessRules: # as agreed\n      - Prices are net\n      - \"Dates: UTC\"\n      - '- dash'\n",
		},
		"an issue": {
			"load", CommonIssues, issue, "      sessionId: ab12\n",
			"      sessionId: ab12\n    - description: 'Slow: the join'\n      solution: |-\n        an index\n        and a filter\n      discoveredAt: \"2026-02-01\"\n      sessionId: cd34\n",
		},
		"to an empty list":   {"clean", Patterns, "x", "    patterns: []\n", "    patterns:\n      - x\n"},
		"to nothing":         {"clean", BusinessRules, "x", "    businessRules:\n", "    businessRules:\n      - x\n"},
		"a new list":         {"clean", CommonIssues, Issue{Description: "a"}, "    businessRules:\n", "    businessRules:\n    commonIssues:\n      - description: a\n"},
		"to the last module": {"größe 😀", Patterns, "ä 😀", "  - name: größe 😀\n", "  - name: größe 😀\n    patterns:\n      - ä \U0001F600\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, there, err := Add(example, c.module, c.list, c.entry)
			must.NoError(t, err)
			must.False(t, there)
			want := strings.Replace(example, c.gone, c.is, 1)
			if got != want && name != "to the last module" {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			again, there, err := Add(got, c.module, c.list, c.entry)
			must.NoError(t, err, must.Sprint("a second time"))
			test.True(t, there, test.Sprint("a second time"))
			test.Eq(t, got, again, test.Sprint("a second time"))
			if _, _, err := Add(got, c.module, Patterns, "and another"); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

func TestAddRefuses(t *testing.T) {
	const flow = "project: {name: a}\nmodules: [{name: x}]\n"
	const spread = "project: {name: a}\nmodules:\n- name: x\n  patterns: [a,\n    b]\n"
	for name, c := range map[string]struct{ text, module, want string }{
		"no such module":   {example, "none", "known are load, clean"},
		"no modules":       {"project: {name: a}", "x", "names no modules"},
		"a module inline":  {flow, "x", "on one line"},
		"a name alone":     {"project: a\nmodules: [x]", "x", "not a separate mapping"},
		"a spread list":    {spread, "x", "several lines"},
		"a malformed file": {"a: [", "x", "line"},
	} {
		got, _, err := Add(c.text, c.module, Patterns, "p")
		must.Error(t, err, must.Sprint(name, got))
		test.StrContains(t, err.Error(), c.want, test.Sprint(name, got))
	}
}

// An entry is added to a module of a map by name, and after a text in place of a list.
func TestAddToLenient(t *testing.T) {
	const file = "project: a\nmodules:\n  x:\n    patterns: one # c\n    dependencies: y\n  y:\n    description: d\n"
	got, _, err := Add(file, "x", Patterns, "two")
	want := strings.Replace(file, "patterns: one # c\n", "patterns: # c\n      - one\n      - two\n", 1)
	must.NoError(t, err)
	test.Eq(t, want, got)
	got, _, err = Add(file, "y", Patterns, "two")
	want = file + "    patterns:\n      - two\n"
	must.NoError(t, err)
	test.Eq(t, want, got)
}

// For any text, Add refuses the file, or the result has the old content and the entry.
func FuzzAdd(f *testing.F) {
	f.Add(example, "load", "x", true)
	f.Add("project: {name: a}\nmodules:\n- name: x", "x", "- : #", false)
	f.Fuzz(func(t *testing.T, text, module, entry string, issue bool) {
		list, e := Patterns, any(entry)
		if issue {
			list, e = CommonIssues, any(Issue{Description: entry, Solution: entry})
		}
		out, there, err := Add(text, module, list, e)
		if err != nil || there {
			return
		}
		p, err := Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := p.Module(module); !ok {
			t.Errorf("module %q is gone", module)
		}
	})
}
