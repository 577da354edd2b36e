package templates_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/analysis/srcbook"
	"github.com/nbduet/nbduet/tools/analysis/templates"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every template has exactly the format that Encode writes, has code, and names each cell once.
func TestTemplates(t *testing.T) {
	for _, name := range []string{"tree_of_thought", "beam_search", "mcts", "explore_dataset", "compare_models"} {
		if _, ok := templates.Find(name); !ok {
			t.Errorf("there is no %s", name)
		}
	}
	for _, tpl := range templates.All() {
		text, err := srcbook.Encode(tpl.Notebook)
		must.NoError(t, err)
		test.Eq(t, tpl.Text, text)
		codes, seen := 0, map[string]bool{}
		for _, c := range tpl.Notebook.Cells {
			test.NotEq(t, "", c.ID, test.Sprint(tpl.Name))
			test.False(t, seen[c.ID], test.Sprint(tpl.Name))
			seen[c.ID] = true
			if c.Type == "code" {
				codes++
			}
		}
		test.GreaterEq(t, 2, codes)
		test.Eq(t, "python", tpl.Notebook.Language)
	}
}
