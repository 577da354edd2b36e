package templates_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/tools/srcmd"
	"github.com/nbduet/nbduet/tools/templates"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every template is in the very form that notebooks are written in, has code, and names each cell once.
func TestTemplates(t *testing.T) {
	for _, name := range []string{"tree_of_thought", "beam_search", "mcts", "explore_dataset", "compare_models"} {
		if _, ok := templates.Find(name); !ok {
			t.Errorf("there is no %s", name)
		}
	}
	for _, tpl := range templates.All() {
		text, err := srcmd.Encode(tpl.Notebook)
		if err != nil || text != tpl.Text {
			t.Errorf("%s: %v, it would be written as\n%s", tpl.Name, err, text)
		}
		codes, seen := 0, map[string]bool{}
		for _, c := range tpl.Notebook.Cells {
			if c.ID == "" || seen[c.ID] {
				t.Errorf("%s: cell %q has no id of its own", tpl.Name, c.ID)
			}
			seen[c.ID] = true
			if c.Type == "code" {
				codes++
			}
		}
		if codes < 2 || tpl.Notebook.Language != "python" {
			t.Errorf("%s: %d code cells of %s", tpl.Name, codes, tpl.Notebook.Language)
		}
	}
}
