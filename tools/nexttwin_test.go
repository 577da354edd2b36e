package tools_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Whatever a client does after the refusal of an id that two cells have, no cell is changed before the call names one of
// them exactly; then only that one is.
func TestNextCallWithTwins(t *testing.T) {
	next := map[string]func(args toolstest.Dict) toolstest.Dict{
		"the same":      func(args toolstest.Dict) toolstest.Dict { return args },
		"with force":    func(args toolstest.Dict) toolstest.Dict { return toolstest.With(args, "force", true) },
		"other content": func(args toolstest.Dict) toolstest.Dict { return replaced(args, `"new"`, `"other"`) },
	}
	for _, tool := range slices.Sorted(maps.Keys(destroying)) {
		c := destroying[tool]
		if c.byIndex == nil {
			continue // it takes no id
		}
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				twins := func(reads bool) *positions {
					book := strings.Replace(toolstest.Book("c0:a = 1", "c1:b = 1", "c2:c = 1", "c1:b = 2"), `"nbformat_minor":5`, `"nbformat_minor":4`, 1)
					p := &positions{Rig: r, path: r.Server.Write(t, r.Server.Name(t, ".ipynb"), book)}
					p.opens(tool)
					if reads {
						p.Read(p.path)
					}
					return p
				}
				for _, reads := range []bool{false, true} {
					for _, name := range slices.Sorted(maps.Keys(next)) {
						p := twins(reads)
						before, _ := p.sources()
						for _, args := range []toolstest.Dict{c.byID, next[name](c.byID), next[name](c.byID)} {
							if args == nil {
								continue
							}
							text, failed := p.call(tool, args)
							now, _ := p.sources()
							test.True(t, failed, test.Sprint(name, text))
							test.StrContains(t, text, "cells of the notebook have the id", test.Sprint(name))
							test.Eq(t, before, now, test.Sprint(name, text))
						}
					}
				}
				first, last := "a = 1 new c = 1 b = 2", "a = 1 b = 1 c = 1 new"
				if c.deletes {
					first, last = "a = 1 c = 1 b = 2", "a = 1 b = 1 c = 1"
				}
				for _, named := range []struct{ id, want string }{{"", first}, {"c1~0", first}, {"the last's", last}} {
					p := twins(true)
					args := c.byIndex
					switch named.id {
					case "":
					case "the last's":
						args = replaced(c.byID, `"c1"`, `"`+p.Read(p.path).Cells[3].ID+`"`)
					default:
						args = replaced(c.byID, `"c1"`, `"`+named.id+`"`)
					}
					text, failed := p.call(tool, args)
					now, _ := p.sources()
					test.False(t, failed, test.Sprint(named.id, text))
					test.Eq(t, named.want, now, test.Sprint(named.id, text))
				}
			})
		})
	}
}
