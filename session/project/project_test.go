package project

import (
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"
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
	if !ok || p.Project.Name != "Shop" || p.Tech.PackageManager != "uv" || p.Architecture.Description != "Raw files in, one model out.\n" ||
		!reflect.DeepEqual(p.Names(), []string{"load", "clean", "größe 😀"}) || m.KeyFiles[0].Role != "entry" || len(m.Patterns) != 2 ||
		m.CommonIssues[0].DiscoveredAt != "2026-01-15" || m.Dependencies[0] != "clean" {
		t.Errorf("%+v", p)
	}
	if _, ok := p.Module("Load"); ok {
		t.Error("names are not case-sensitive")
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", "empty"},
		"comment only":    {"# nothing\n", "empty"},
		"no name":         {"project: {type: x}", "does not name"},
		"broken":          {"project:\n  name: [a\nmodules: 1", "line "},
		"a tab":           {"project:\n\tname: a", "line 2"},
		"another type":    {"project:\n  name: a\nmodules:\n  - name: [b]\n", "line 4"},
		"a list":          {"- a", "line 1"},
		"nameless module": {"project: {name: a}\nmodules: [{description: x}]", "module 1 has no name"},
		"twice":           {"project: {name: a}\nmodules: [{name: x}, {name: x}]", `named "x"`},
		"two documents":   {"project: {name: a}\n---\nproject: {name: b}", "more than one"},
		"huge":            {"project: {name: a}\n" + strings.Repeat("#", MaxBytes), "bytes"},
		"aliases":         {"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nproject: {name: *g}", "line"},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Whatever is added, all else stays as it was, byte for byte, but for a list in brackets, which becomes one of lines.
func TestAdd(t *testing.T) {
	issue := Issue{Description: "Slow: the join", Solution: "an index\nand a filter", DiscoveredAt: "2026-02-01", SessionID: "cd34"}
	for name, c := range map[string]struct {
		module, list string
		entry        any
		gone, is     string // what was and is there at the place
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
			if err != nil || there {
				t.Fatalf("%v, there %v", err, there)
			}
			want := strings.Replace(example, c.gone, c.is, 1)
			if got != want && name != "to the last module" {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			again, there, err := Add(got, c.module, c.list, c.entry)
			if err != nil || !there || again != got {
				t.Errorf("a second time: there %v, %v", there, err)
			}
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
		"no such module":   {example, "none", "there are load, clean"},
		"no modules":       {"project: {name: a}", "x", "names no modules"},
		"a module inline":  {flow, "x", "on one line"},
		"a spread list":    {spread, "x", "several lines"},
		"a malformed file": {"a: [", "x", "line"},
	} {
		if got, _, err := Add(c.text, c.module, Patterns, "p"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// No text makes the writing go wrong: the file is refused, or says what it said and the entry.
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
