package tools_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// A call by an index that was never shown, or whose cell is deleted, is refused however often it is made, if it is refused
// once, also with force. After that, and after reading another cell, it changes no cell that the client was not shown.
func TestNextIndexAfterARefusal(t *testing.T) {
	for state, c := range map[string]struct {
		come func(p *positions)
		must bool // each call for a cell must be refused
	}{
		"never shown":         {func(*positions) {}, false},
		"its cell is deleted": {func(p *positions) { p.Read(p.path); p.person(func(e *ydoc.Editor) error { return e.Delete("c1") }) }, true},
	} {
		t.Run(state, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, name := range slices.Sorted(maps.Keys(named)) {
					tool, _, _ := strings.Cut(name, ".")
					p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c", "d = 4\n# d")}
					p.opens(tool)
					c.come(p)
					before, _ := p.sources()
					text, failed := p.call(tool, named[name].args)
					if c.must && !named[name].adds && !failed {
						t.Errorf("%s: answered %s", name, text)
					}
					for range 2 {
						if !failed {
							break
						}
						p.refusesWell(tool, text, false)
						if text, failed = p.call(tool, named[name].args); !failed {
							t.Errorf("%s: the same call goes through: %s", name, text)
						}
						p.refusesWell(tool, text, true)
						now, ran := p.sources()
						test.Eq(t, before, now, test.Sprint(name, text))
						test.Nil(t, ran, test.Sprint(name, text))
					}
					p.person(putsAbove)
					p.keeps(name, named[name].args, "unread", "# a", "# c", "# d")
					forced := toolstest.With(named[name].args, "force", true)
					p.keeps(name, forced, "unread", "# a", "# d") // and of c2, if it is in the range
					p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}}})
					p.keeps(name, named[name].args, "unread", "# d") // it now means c0
				}
			})
		})
	}
}

// keeps makes a call after which the notebook must contain each of these texts as often as before.
func (p *positions) keeps(name string, args toolstest.Dict, texts ...string) {
	p.T.Helper()
	tool, _, _ := strings.Cut(name, ".")
	before, _ := p.sources()
	text, failed := p.call(tool, args)
	if failed {
		p.refusesWell(tool, text, false)
	}
	now, _ := p.sources()
	for _, s := range texts {
		if strings.Count(now, s) != strings.Count(before, s) {
			p.T.Errorf("%s %v: answered %s; %q is gone from %q", name, args, text, s, now)
		}
	}
}
