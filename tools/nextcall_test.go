package tools_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// refusing are states in which a call that deletes the second cell, or gives it another first line, is refused; typed is the
// person's text in that line.
var refusing = map[string]func(p *positions){
	"never read": func(p *positions) { p.typesLine("b = typed") },
	"typed since": func(p *positions) {
		p.Read(p.path)
		p.typesLine("b = typed")
	},
	"typed 70 times since": func(p *positions) {
		p.Read(p.path)
		p.types70()
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

// typesLine makes a person change the first line of the second cell.
func (p *positions) typesLine(line string) {
	p.T.Helper()
	p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", line+"\n# b") })
}

// types70 makes a person type 70 times in the first line of the second cell.
func (p *positions) types70() {
	p.T.Helper()
	p.typesEach(70, func(n int, _ string) string { return "b = typed" + strings.Repeat("x", n) + "\n# b" })
}

// nextCalls are the next calls of a client after a refusal for the second cell, and whether they succeed. revision is the
// one that the refusal showed; args returns nil if the tool has no such call.
var nextCalls = map[string]struct {
	args func(p *positions, tool, revision string) toolstest.Dict
	goes bool
}{
	"the same": {func(_ *positions, tool, _ string) toolstest.Dict { return destroying[tool].byID }, false},
	"with the revision": {func(_ *positions, tool, revision string) toolstest.Dict {
		return withRevision(destroying[tool].byID, revision)
	}, true},
	"with force": {func(_ *positions, tool, _ string) toolstest.Dict {
		return toolstest.With(destroying[tool].byID, "force", true)
	}, true},
	"other content": {func(_ *positions, tool, _ string) toolstest.Dict {
		return replaced(destroying[tool].byID, `"new"`, `"other"`)
	}, true},
	"by an old index": {func(p *positions, tool, _ string) toolstest.Dict {
		p.person(putsAbove)
		return destroying[tool].byIndex
	}, false},
	"by an index after a partial read": {func(p *positions, tool, _ string) toolstest.Dict {
		p.person(putsAbove)
		p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}}})
		return replaced(destroying[tool].byIndex, `"start":1`, `"start":2`, `"cell_index":1`, `"cell_index":2`, `[1]`, `[2]`)
	}, false},
}

// replaced returns the arguments with other texts in their JSON; nil if it contains none of the old ones.
func replaced(args toolstest.Dict, oldnew ...string) toolstest.Dict {
	before, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	var out toolstest.Dict
	after := strings.NewReplacer(oldnew...).Replace(string(before))
	if after == string(before) || json.Unmarshal([]byte(after), &out) != nil {
		return nil
	}
	return out
}

// Whatever a client does after a refusal, text that a person has typed is destroyed only with the revision that the refusal
// showed, with force, or by other content, which counts as a change from the shown text.
func TestNextCallAfterARefusal(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(destroying)) {
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(refusing)) {
					for _, next := range slices.Sorted(maps.Keys(nextCalls)) {
						p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c")}
						p.opens(tool)
						refusing[state](p)
						text, failed := p.call(tool, destroying[tool].byID)
						said := saidRevision.FindAllStringSubmatch(text, -1)
						if !failed || len(said) == 0 || !strings.Contains(p.cell("c1"), "typed") {
							t.Errorf("%s: answered %s; the cell is %q", state, text, p.cell("c1"))
							continue
						}
						p.refusesWell(tool, text, false)
						p.nextCall(tool, state, next, said[len(said)-1][1])
					}
				}
			})
		})
	}
}

// nextCall makes a call of nextCalls, and again if it must be refused. By an index the call differs at first.
func (p *positions) nextCall(tool, state, next, revision string) {
	p.T.Helper()
	step := nextCalls[next]
	args := step.args(p, tool, revision)
	if args == nil {
		return
	}
	before, _ := p.sources()
	text, failed := p.call(tool, args)
	if step.goes {
		test.False(p.T, failed, test.Sprint(state, next, text))
		test.StrNotContains(p.T, p.cell("c1"), "typed", test.Sprint(state, next, text))
		return
	}
	for again := range 3 {
		now, _ := p.sources()
		test.True(p.T, failed, test.Sprint(state, next, text))
		test.Eq(p.T, before, now, test.Sprint(state, next, text))
		p.refusesWell(tool, text, next == "the same" || again > 0)
		text, failed = p.call(tool, args)
	}
}
