package task

import (
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/nbfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// done is the demo's notebook with the finished task.
func done(t *testing.T) []nbfile.Cell {
	t.Helper()
	cells, err := nbfile.Read("../../../testdata/demo.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	form := func(kind string) nbfile.Output {
		return nbfile.Output{Type: "display_data", Data: map[string]json.RawMessage{kind: json.RawMessage(`""`)}}
	}
	cells = append(cells,
		nbfile.Cell{Source: TextCell, Outputs: []nbfile.Output{{Type: "stream", Text: "Sun ######            1215\n"}}},
		nbfile.Cell{Source: TableCell, Outputs: []nbfile.Output{form("text/html")}},
		nbfile.Cell{Source: ChangedPlotCell, Outputs: []nbfile.Output{form("image/png")}})
	for i := range cells {
		cells[i].ExecutionCount = &i
	}
	return cells
}

// A complete notebook passes the check.
func TestDone(t *testing.T) {
	if err := Check(done(t)); err != nil {
		t.Error(err)
	}
}

// Missing parts are named.
func TestMissing(t *testing.T) {
	for want, spoil := range map[string]func([]nbfile.Cell) []nbfile.Cell{
		"5 cells":                   func(c []nbfile.Cell) []nbfile.Cell { return c[:5] },
		"cell 5 has the source":     func(c []nbfile.Cell) []nbfile.Cell { c[5].Source = PlotCell; return c },
		"cell 2 has no execution":   func(c []nbfile.Cell) []nbfile.Cell { c[2].ExecutionCount = nil; return c },
		"no whole output image/png": func(c []nbfile.Cell) []nbfile.Cell { c[5].Outputs = nil; return c },
		"no whole output text/plai": func(c []nbfile.Cell) []nbfile.Cell { c[3].Outputs[0].Text = "Mon"; return c },
	} {
		err := Check(spoil(done(t)))
		must.Error(t, err)
		test.StrContains(t, err.Error(), want)
	}
}

// The steps work in the given notebook and write the cells that Check looks for.
func TestSteps(t *testing.T) {
	var all strings.Builder
	for _, s := range Steps("here/it.ipynb") {
		if s.Args["path"] != "here/it.ipynb" {
			t.Errorf("%s works in %v", s.Tool, s.Args["path"])
		}
		if err := json.NewEncoder(&all).Encode(s.Args); err != nil {
			t.Fatal(err)
		}
	}
	for _, source := range []string{TextCell, TableCell, ChangedPlotCell} {
		b, err := json.Marshal(source)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(all.String(), string(b)) {
			t.Errorf("no step writes %s", b)
		}
	}
}
