package reading_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// refusing are states in which a call that deletes the second cell, or gives it another first line, is refused: typed is what
// a person has in that line.
var refusing = map[string]func(p *positions){
	"never read": func(p *positions) { p.typesLine("b = typed") },
	"typed since": func(p *positions) {
		p.Read(p.path)
		p.typesLine("b = typed")
	},
	"typed 70 times since": func(p *positions) {
		p.Read(p.path)
		for n := range 70 {
			p.typesLine("b = typed" + strings.Repeat("x", n))
		}
	},
	"typed between two readings": func(p *positions) {
		p.Read(p.path)
		p.typesLine("b = typed")
		p.Read(p.path)
	},
	"typed since, and the notebook was left": func(p *positions) {
		p.Read(p.path)
		p.typesLine("b = typed")
		p.leaves()
	},
}

// typesLine has a person change the first line of the second cell.
func (p *positions) typesLine(line string) {
	p.T.Helper()
	p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", line+"\n# b") })
}

// nextCalls are what a client does after a refusal, and whether that goes through. It changes the arguments, of which revision
// is the one that the refusal showed.
var nextCalls = map[string]struct {
	args func(args toolstest.Dict, revision string) toolstest.Dict
	goes bool
}{
	"the same":          {func(args toolstest.Dict, _ string) toolstest.Dict { return args }, false},
	"with the revision": {withRevision, true},
	"with force":        {func(args toolstest.Dict, _ string) toolstest.Dict { return toolstest.With(args, "force", true) }, true},
	"other content":     {func(args toolstest.Dict, _ string) toolstest.Dict { return otherContent(args) }, true},
}

// otherContent are the arguments with another content; nil if they have none.
func otherContent(args toolstest.Dict) toolstest.Dict {
	text, err := json.Marshal(args)
	if err != nil || !strings.Contains(string(text), `"new"`) {
		return nil
	}
	var out toolstest.Dict
	if json.Unmarshal([]byte(strings.ReplaceAll(string(text), `"new"`, `"other"`)), &out) != nil {
		return nil
	}
	return out
}

// Whatever a client does after a refusal, what a person has typed is destroyed only with the revision that the refusal showed,
// with force, or by other content, which counts as a change from what it showed.
func TestNextCallAfterARefusal(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(destroying)) {
		args := destroying[tool].byID
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(refusing)) {
					for _, next := range slices.Sorted(maps.Keys(nextCalls)) {
						step := nextCalls[next]
						if step.args(args, "x") == nil {
							continue
						}
						p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c")}
						p.opens(tool)
						refusing[state](p)
						text, failed := p.call(tool, args)
						said := saidRevision.FindAllStringSubmatch(text, -1)
						if !failed || len(said) == 0 || !strings.Contains(p.cell("c1"), "typed") {
							t.Errorf("%s: answered %s; the cell is %q", state, text, p.cell("c1"))
							continue
						}
						given := step.args(args, said[len(said)-1][1])
						for range 2 {
							text, failed = p.call(tool, given)
							if step.goes {
								break
							}
							if !failed || strings.Contains(text, "\n| ") {
								t.Errorf("%s, %s: answered %s", state, next, text)
							}
						}
						if failed == step.goes || strings.Contains(p.cell("c1"), "typed") == step.goes {
							t.Errorf("%s, %s: answered %s; the cell is %q", state, next, text, p.cell("c1"))
						}
					}
				}
			})
		})
	}
}

// typesKeys has a person type so many keys at the end of the second cell.
func (p *positions) typesKeys(keys int) {
	p.T.Helper()
	doc, err := p.Work.Open(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	for range keys {
		if err := doc.Notebook().Edit("type", func(e *ydoc.Editor) error {
			c, _ := e.Cell("c1")
			return e.SetSource("c1", c.Source+"k")
		}); err != nil {
			p.T.Fatal(err)
		}
	}
	if err := doc.Settled(p.T.Context()); err != nil {
		p.T.Fatal(err)
	}
}

// A whole source is merged with any number of keys that a person has typed elsewhere in the cell since it was read, right away
// and after the notebook was left, and the same call again takes none of them back.
func TestMergeAfterManyKeys(t *testing.T) {
	for _, keys := range []int{10, 70, 400, 5000} {
		for _, left := range []bool{false, true} {
			jupytertest.Beside(t, func(t *testing.T) {
				p := &positions{Rig: toolstest.New(t)}
				p.path = p.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b")
				p.Read(p.path)
				typed := strings.Repeat("k", keys)
				p.typesKeys(keys)
				if left {
					p.leaves()
				}
				for range 2 {
					if text, failed := p.call("modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": "b = 3\n# b"}}}); failed {
						t.Errorf("%d keys, left %t: %s", keys, left, text)
					}
					if now := p.cell("c1"); now != "b = 3\n# b"+typed {
						t.Errorf("%d keys, left %t: the cell has %d characters", keys, left, len(now))
					}
				}
			})
		}
	}
}
