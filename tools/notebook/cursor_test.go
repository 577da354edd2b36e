package notebook

import (
	"slices"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

func TestCursorGoesOnWhereCellsHaveMoved(t *testing.T) {
	cells := sample.CellsOf("a", "b", "c", "d", "e", "f")
	for i := range cells {
		cells[i].ID = "id-" + cells[i].Source
	}
	without := func(id string) []ydoc.Cell {
		return slices.DeleteFunc(slices.Clone(cells), func(c ydoc.Cell) bool { return c.ID == id })
	}
	more := append(sample.CellsOf("x", "y"), cells...)
	for name, c := range map[string]struct {
		left []int
		all  bool
		now  []ydoc.Cell
		want string
		note bool
	}{
		"nothing has changed":        {[]int{3, 4, 5}, true, cells, "def", false},
		"cells were inserted before": {[]int{3, 4, 5}, true, more, "def", false},
		"a cell before was deleted":  {[]int{3, 4, 5}, true, without("id-a"), "def", false},
		"the cell itself is gone":    {[]int{3, 4, 5}, true, without("id-d"), "ef", true},
		"cells were appended":        {[]int{3, 4, 5}, true, append(slices.Clone(cells), sample.CellsOf("z")...), "defz", false},
		"only what was asked for":    {[]int{1, 4, 5}, false, append(slices.Clone(cells), sample.CellsOf("z")...), "bef", false},
		"moved ranges":               {[]int{1, 4, 5}, false, more, "bef", false},
		"any order":                  {[]int{4, 1, 5}, false, cells, "ebf", false},
	} {
		next, err := nextCursor(c.left, cells, c.all)
		if err != nil {
			t.Fatal(err)
		}
		got, note, err := cellsToRead(ReadArgs{ReadOn: ReadOn{Cursor: next}}, target.View{Listed: c.now, Now: c.now})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var read string
		for _, i := range got {
			read += c.now[i].Source
		}
		test.Eq(t, c.want, read, test.Sprint(name))
		test.Eq(t, c.note, note != "", test.Sprint(name))
		if wholeReading(ReadArgs{ReadOn: ReadOn{Cursor: next}}) != c.all {
			t.Errorf("%s: whole reading is %v", name, !c.all)
		}
	}
	next, err := nextCursor(nil, cells, true)
	test.Eq(t, "", next)
	test.NoError(t, err)
}
