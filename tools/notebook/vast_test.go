package notebook_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// One value that is larger or deeper than any that we would write does not make the rest of the notebook unusable: it is
// read, cut to size, and edited, and the value stays unchanged.
func TestVastValues(t *testing.T) {
	nested := strings.Repeat(`{"a":`, 900) + `"core"` + strings.Repeat("}", 900)
	list := strings.Repeat("[", 900) + strings.Repeat("]", 900)
	cells := map[string]vastCell{
		"metadata 900 deep":          {metadata: `{"deep": ` + nested + `}`, kept: nested},
		"metadata of lists 900 deep": {metadata: `{"deep": ` + list + `}`, kept: list},
	}
	for name, c := range cells {
		t.Run(name, c.test)
	}
}

// vastCell is a cell's metadata and outputs, in JSON, and the part of them that must be in the file in the end.
type vastCell struct{ metadata, outputs, kept string }

// test reads and edits a notebook with the cell.
func (c vastCell) test(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), fmt.Sprintf(`{"cells": [
			{"cell_type": "code", "id": "c0", "execution_count": null, "source": "first", "metadata": %s, "outputs": [%s]},
			{"cell_type": "code", "id": "c1", "execution_count": null, "source": "1 + 1", "metadata": {}, "outputs": []}],
			"metadata": {}, "nbformat": 4, "nbformat_minor": 5}`, c.metadata, c.outputs))
		var read notebook.ReadResult
		r.Good("read_nb_cells", toolstest.Dict{"path": path}, &read)
		must.SliceLen(t, 2, read.Cells)
		test.Eq(t, "1 + 1", read.Cells[1].Source)
		test.True(t, read.Truncated)
		cut := read.Cells[0].Truncated
		if c.outputs != "" && (len(cut.Outputs) != 1 || !cut.Outputs[0] || !strings.Contains(fmt.Sprint(read.Cells[0].Outputs[0]["text"]), "[73,3")) {
			t.Errorf("what is left out of the output is not said: %v", cut)
		}
		if c.outputs == "" && !cut.Metadata {
			t.Errorf("it is not said that metadata is left out: %v", read.Cells[0].Metadata)
		}
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "second"}}, "exec": false}, nil)
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1}, "content": "2 + 2"}}, "exec": false}, nil)
		doc, err := r.Work.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Release()
		if err := doc.Edit(t.Context(), "move", func(e *ydoc.Editor) error { return e.Move("c0", 1) }); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Second) // until it is saved
		file := r.Server.Read(t, path)
		one, two := strings.Index(file, "2 + 2"), strings.Index(file, `"second"`)
		test.GreaterEq(t, 0, one)
		test.GreaterEq(t, one, two)
		if c.outputs == "" {
			file = strings.Map(plainJSON, file)
		}
		if !strings.Contains(file, c.kept) {
			t.Error("the file has lost the value")
		}
	})
}

// plainJSON drops white space.
func plainJSON(r rune) rune {
	if r == ' ' || r == '\n' {
		return -1
	}
	return r
}
