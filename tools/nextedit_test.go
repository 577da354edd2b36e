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

// An edit of words that a person has changed is refused however often it is made, by the id of its cell and by its index.
func TestNextEditAfterARefusal(t *testing.T) {
	for tool, byID := range wordEdits {
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(refusing)) {
					p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c")}
					p.opens("edit_cell_source")
					refusing[state](p)
					next := func(what string, args toolstest.Dict, goes bool) {
						t.Helper()
						if tool == "edit_text" {
							args = toolstest.With(args, "path", p.path)
						}
						text, failed := p.call(tool, args)
						test.NotEq(t, goes, failed, test.Sprint(state, what, text))
						test.NotEq(t, goes, strings.Contains(p.cell("c1"), "typed"), test.Sprint(state, what, text))
						if failed {
							p.refusesWell(tool, text, false)
						}
					}
					next("first", byID, false)
					next("the same", byID, false)
					next("the same again", byID, false)
					next("other content", replaced(byID, `"new"`, `"other"`), false)
					p.person(putsAbove)
					if tool == "edit_cell_source" {
						byIndex := toolstest.With(byID, "cell_index", 1)
						delete(byIndex, "cell_id")
						next("by an old index", byIndex, false)
						p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}}})
						next("by an index after a partial read", toolstest.With(byIndex, "cell_index", 2), false)
					}
					next("the words that are there", replaced(byID, `"b = 2"`, `"`+strings.TrimSuffix(p.cell("c1"), "\n# b")+`"`), true)
				}
			})
		})
	}
}
