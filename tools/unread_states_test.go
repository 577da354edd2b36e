package tools_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// knowingCells are ways in which a client knows the second cell of a notebook, and whether it has read its current content.
var knowingCells = map[string]struct {
	come func(p *positions)
	read bool
	// typed: another participant has typed at its end since it was read.
	typed bool
}{
	"never read":                       {func(*positions) {}, false, false},
	"another cell was read":            {func(p *positions) { p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}}}) }, false, false},
	"its head was read":                {func(p *positions) { p.overview() }, false, false},
	"read cut off":                     {func(p *positions) { p.reads(toolstest.Dict{"maxCellData": 20}) }, false, false},
	"read cut off, and it has edited":  {func(p *positions) { p.reads(toolstest.Dict{"maxCellData": 20}); p.edits() }, false, false},
	"never read, it has edited":        {func(p *positions) { p.edits() }, false, false},
	"never read, it has moved it":      {func(p *positions) { p.moves() }, false, false},
	"its JSON was read in part":        {func(p *positions) { p.piece(0, 60) }, false, false},
	"read":                             {func(p *positions) { p.reads(toolstest.Dict{}) }, true, false},
	"read, and it has edited":          {func(p *positions) { p.reads(toolstest.Dict{}); p.edits() }, true, false},
	"read, and it has moved it":        {func(p *positions) { p.reads(toolstest.Dict{}); p.moves() }, true, false},
	"read, and written as a whole":     {func(p *positions) { p.reads(toolstest.Dict{}); p.writes() }, true, false},
	"read cut off, then written whole": {func(p *positions) { p.reads(toolstest.Dict{"maxCellData": 20}); p.writes() }, true, false},
	"read, and the program was left":   {func(p *positions) { p.reads(toolstest.Dict{}); p.leaves() }, true, false},
	"cut off, and it was left":         {func(p *positions) { p.reads(toolstest.Dict{"maxCellData": 20}); p.leaves() }, false, false},
	"read, others typed since":         {func(p *positions) { p.reads(toolstest.Dict{}); p.types() }, false, true},
	"read, it edited, others typed":    {func(p *positions) { p.reads(toolstest.Dict{}); p.edits(); p.types() }, false, true},
	"read, others typed, it edited":    {func(p *positions) { p.reads(toolstest.Dict{}); p.types(); p.edits() }, false, true},
}

// The second cell of the notebook, with the words "needed" and a comment below it.
const knownCell = "b = 2 # needed\n# one line of some length, and another\n# last"

// reads makes the client read the notebook, or the parts that args name.
func (p *positions) reads(args toolstest.Dict) {
	p.T.Helper()
	p.Good("read_nb_cells", toolstest.With(args, "path", p.path), nil)
}

// overview reads the first lines of the cells.
func (p *positions) overview() {
	p.T.Helper()
	p.Good("read_notebook", toolstest.Dict{"notebook_name": p.path}, nil)
}

func (p *positions) piece(position, most int) {
	p.T.Helper()
	p.Good("get_document_content", toolstest.Dict{"path": p.path, "position": position, "max_content": most}, nil)
}

// edits changes some words of the cell.
func (p *positions) edits() {
	p.T.Helper()
	p.Good("edit_text", toolstest.Dict{"path": p.path, "cell_id": "c1", "old_text": "b = 2", "new_text": "b = 22"}, nil)
}

func (p *positions) moves() {
	p.T.Helper()
	p.Good("move_nb_cells", toolstest.Dict{"path": p.path, "ranges": []toolstest.Dict{{"id": "c1"}}, "position": 0}, nil)
}

// writes gives the cell a whole source.
func (p *positions) writes() {
	p.T.Helper()
	p.Good("modify_nb_cells", toolstest.Dict{"path": p.path, "exec": false, "force": true, "modifications": []toolstest.Dict{
		{"range": toolstest.Dict{"id": "c1"}, "content": knownCell + "\n# written"},
	}}, nil)
}

func (p *positions) leaves() {
	p.T.Helper()
	p.Good("end_nb_session", toolstest.Dict{"path": p.path}, nil)
}

// types makes a person type at the end of the cell.
func (p *positions) types() {
	p.T.Helper()
	p.person(func(e *ydoc.Editor) error {
		c, _ := e.Cell("c1")
		return e.SetSource("c1", c.Source+" and typed")
	})
}

// A client can delete or overwrite a cell only if it has read all of its current content, whatever it has read or written
// elsewhere; and text typed by others stays.
func TestUnreadCellsAreKept(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(destroying)) {
		c := destroying[tool]
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(knowingCells)) {
					k := knowingCells[state]
					p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", knownCell, "c = 3")}
					p.opens(tool)
					if tool == "overwrite_document" { // it also removes the others
						p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}, {"id": "c2"}}})
					}
					k.come(p)
					before := p.cell("c1")
					text, failed := p.call(tool, c.byID)
					after := p.cell("c1")
					may := k.read || k.typed && !c.deletes // a source is merged
					switch {
					case !may && (!failed || after != before || !strings.Contains(text, "nothing was changed")):
						t.Errorf("%s: answered %s; the cell is %q", state, text, after)
					case k.read && (failed || strings.Contains(after, "needed")):
						t.Errorf("%s: answered %s; the cell is %q", state, text, after)
					case k.typed && !strings.Contains(after, "typed"):
						t.Errorf("%s: what was typed is gone: answered %s; the cell is %q", state, text, after)
					}
				}
			})
		})
	}
}
