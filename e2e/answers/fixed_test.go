package answers

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// update makes the tests write the fixed notebook instead of comparing with it: go test ./answers -update.
var update = flag.Bool("update", false, "write the fixed notebook")

// folder is where the notebooks are.
var folder = filepath.Join("..", "testdata", "notebooks")

// The fixed notebook in the repository is the same as the generated one.
func TestFixedIsAsMade(t *testing.T) {
	made, err := Fixed()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "fixed.ipynb")
	if *update {
		if err := os.WriteFile(file, made, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, kept) {
		t.Errorf("%s is not what Fixed makes: write it anew with go test ./answers -run TestFixedIsAsMade -update", file)
	}
}

// cell is a cell of a generated notebook.
type cell struct {
	Type    string           `json:"cell_type"`
	Count   *int             `json:"execution_count"`
	Outputs []map[string]any `json:"outputs"`
}

// cellsOf returns the cells of a generated notebook.
func cellsOf(t *testing.T, made func() ([]byte, error)) []cell {
	t.Helper()
	file, err := made()
	if err != nil {
		t.Fatal(err)
	}
	var nb struct{ Cells []cell }
	if err := json.Unmarshal(file, &nb); err != nil {
		t.Fatal(err)
	}
	return nb.Cells
}

// The fixed notebook has the right number of cells of each kind, and the named cells are at their indexes.
func TestFixedCells(t *testing.T) {
	cells := cellsOf(t, Fixed)
	kinds := map[string]int{}
	for _, c := range cells {
		kind := c.Type
		if c.Count != nil {
			kind = "run"
		}
		kinds[kind]++
		if len(c.Outputs) > 0 && c.Count == nil {
			t.Errorf("a cell that was not run has outputs: %v", c.Outputs)
		}
	}
	for kind, want := range map[string]int{"run": 10, "markdown": 10, "code": 20} {
		if kinds[kind] != want {
			t.Errorf("%d cells are %s, want %d", kinds[kind], kind, want)
		}
	}
	if len(cells) != Cells {
		t.Errorf("there are %d cells, want %d", len(cells), Cells)
	}
	data, _ := cells[Table].Outputs[0]["data"].(map[string]any)
	must.NotNil(t, data["text/html"], must.Sprint(Table))
	test.NotNil(t, data["text/plain"], test.Sprint(Table))
	c := cells[NotRun]
	test.Eq(t, "code", c.Type, test.Sprint(NotRun))
	test.Nil(t, c.Count, test.Sprint(NotRun))
}

// Without outputs, the fixed notebook has the same cells.
func TestBare(t *testing.T) {
	bare := cellsOf(t, Bare)
	if len(bare) != Cells {
		t.Errorf("there are %d cells, want %d", len(bare), Cells)
	}
	for i, c := range bare {
		if len(c.Outputs) > 0 {
			t.Errorf("cell %d has outputs: %v", i, c.Outputs)
		}
	}
}
