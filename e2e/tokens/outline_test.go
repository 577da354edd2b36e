package tokens

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/tools/notebook/outlined"
	"github.com/nbduet/nbduet/ydoc"
)

// The outline of 241 cells of real notebooks has at most 1,500 tokens.
func TestOutlineIsShort(t *testing.T) {
	files, err := filepath.Glob("../testdata/notebooks/*.ipynb")
	must.NoError(t, err)
	var all []outlined.Cell
	for _, file := range files {
		text, err := os.ReadFile(file)
		must.NoError(t, err)
		var nb struct {
			Cells []struct {
				Type   string      `json:"cell_type"`
				Source nbfile.Text `json:"source"`
				Count  *int        `json:"execution_count"`
			} `json:"cells"`
		}
		if json.Unmarshal(text, &nb) != nil {
			continue
		}
		for _, c := range nb.Cells {
			all = append(all, outlined.Of(len(all)%241, ydoc.Cell{ID: ydoc.NewID(), Type: c.Type, Source: string(c.Source), ExecutionCount: c.Count}))
		}
	}
	most, outlines := 0, 0
	for len(all) >= 241 {
		most = max(most, count(t, outlined.Lines(all[:241], func(id string) string { return id[:4] })))
		all, outlines = all[241:], outlines+1
	}
	must.Positive(t, outlines)
	t.Logf("at most %d tokens in %d outlines", most, outlines)
	test.LessEq(t, 1500, most)
}
