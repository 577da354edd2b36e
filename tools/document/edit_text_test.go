package document_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A text is edited by quoting it, in a cell and in a document; a quote that does not occur exactly once is refused with the
// actual text.
func TestEditText(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "total = a + b\nprint(total)", "for x in rows:\n"+strings.Repeat("    show(x)\n", 2)+"pass")
		cells := r.Read(path).Cells
		var got document.EditTextResult
		r.Good("edit_text", toolstest.Dict{"path": path, "old_text": "a + b", "new_text": "a * b"}, &got)
		test.Eq(t, cells[0].ID, got.CellID)
		test.Eq(t, 1, got.Replaced)
		test.StrContains(t, got.Diff, "+total = a * b")
		r.Bad("edit_text", toolstest.Dict{"path": path, "old_text": "show(x)", "new_text": "y"}, "not unique", "2 times", `line 2 ("show(x)")`, "line 3", "occurrence")
		r.Bad("edit_text", toolstest.Dict{"path": path, "old_text": "show(x)", "new_text": "y", "occurrence": 3}, "occurrence 3", "2 times")
		r.Good("edit_text", toolstest.Dict{"path": path, "old_text": "show(x)", "new_text": "show(2)", "occurrence": 2}, &got)
		r.Bad("edit_text", toolstest.Dict{"path": path, "old_text": "for  x in rows:\nshow(x)", "new_text": "y"}, "other white space", `for x in rows:\n    show(x)`)
		r.Bad("edit_text", toolstest.Dict{"path": path, "old_text": "print(totals)", "new_text": "y"}, "not in any cell", `"print(total)"`)
		r.Bad("edit_text", toolstest.Dict{"path": path, "old_text": "show", "new_text": "y", "cell_id": "none"}, "no cell with the id")
		r.Bad("edit_text", toolstest.Dict{"path": path, "old_text": "o", "new_text": "y"}, "several cells", cells[1].ID)
		r.Bad("edit_text", toolstest.Dict{"path": path, "old_text": "x", "new_text": "x"}, "the same")
		r.Good("edit_text", toolstest.Dict{"path": path, "cell_id": cells[1].ID, "old_text": "show", "new_text": "see", "replace_all": true}, &got)
		want := "for x in rows:\n    see(x)\n    see(2)\npass"
		test.Eq(t, 2, got.Replaced)
		test.Eq(t, want, r.Sources(path)[1])

		file := r.TextFile("# Title\n\nOne two three.\n")
		r.Good("edit_text", toolstest.Dict{"path": file, "old_text": "two", "new_text": "2"}, &got)
		text := r.Content(file).Content
		test.Eq(t, "# Title\n\nOne 2 three.\n", text)
		test.False(t, got.Merged)
		test.NotEq(t, "", got.Revision)
	})
}

// The cells to search may be given by index, also several; the name cell_id still works.
func TestEditTextInARange(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1", "y = 1", "x = 2", "x = 3")
		r.Read(path)
		edit := func(more toolstest.Dict) toolstest.Dict {
			more["path"], more["old_text"], more["new_text"] = path, "x =", "z ="
			return more
		}
		between := func(start, end int) toolstest.Dict { return toolstest.Dict{"start": start, "end": end} }
		r.Bad("edit_text", edit(toolstest.Dict{"range": between(1, 4)}), "several cells: 2 (id", ", 3 (id", "give range with the id of one")
		r.Bad("edit_text", edit(toolstest.Dict{"range": between(1, 2)}), "not in the text")
		r.Bad("edit_text", edit(toolstest.Dict{"range": between(4, 5)}), "range (start 4, end 5) is out of range")
		r.Bad("edit_text", edit(toolstest.Dict{"range": between(0, 1), "cell_id": "x"}), "give range alone")
		r.Bad("edit_text", toolstest.Dict{"path": path, "range": between(0, 2), "old_text": "x = 3", "new_text": "z"}, "not in any cell of the range")
		r.Good("edit_text", edit(toolstest.Dict{"range": between(1, 3)}), nil)
		r.Good("edit_text", edit(toolstest.Dict{"range": toolstest.Dict{"start": 3}}), nil)
		r.Good("edit_text", edit(toolstest.Dict{}), nil)
		test.Eq(t, []string{"z = 1", "y = 1", "z = 2", "z = 3"}, r.Sources(path))
		file := r.TextFile("x =")
		r.Bad("edit_text", toolstest.Dict{"path": file, "range": between(0, 1), "old_text": "x", "new_text": "y"}, "leave range out")
	})
}

// Text that a person types stays: elsewhere it is kept, and in the same words the edit is refused with both changes.
func TestEditTextBesidePeople(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		p := r.Person()
		path := r.Server.Notebook(t, "first = 1\nlast = 9")
		id := r.Read(path).Cells[0].ID
		p.Read(path)
		p.Good("edit_text", toolstest.Dict{"path": path, "old_text": "first = 1", "new_text": "first = 1  # mine"}, nil)
		var got document.EditTextResult
		r.Good("edit_text", toolstest.Dict{"path": path, "cell_id": id, "old_text": "last = 9", "new_text": "last = 10"}, &got)
		if now := r.Sources(path)[0]; now != "first = 1  # mine\nlast = 10" {
			t.Errorf("%q", now)
		}
		sees := func(rig *toolstest.Rig, what string) {
			t.Helper()
			sessiontest.Eventually(t, "the other has "+what, func() bool { return strings.HasSuffix(rig.Sources(path)[0], what) })
		}
		sees(p, "last = 10")
		p.Good("edit_text", toolstest.Dict{"path": path, "old_text": "last = 10", "new_text": "last = 11"}, nil)
		r.Bad("edit_text", toolstest.Dict{"path": path, "cell_id": id, "old_text": "last = 10", "new_text": "last = 12"}, "nothing was changed")
		if now := r.Sources(path)[0]; now != "first = 1  # mine\nlast = 11" {
			t.Errorf("%q", now)
		}
		// A client that has read none of the cell knows no more of its text afterwards: it cannot replace the whole.
		other := r.Person()
		other.Good("edit_text", toolstest.Dict{"path": path, "cell_id": id, "old_text": "last = 11", "new_text": "last = 12"}, nil)
		other.Bad("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": id}, "content": "gone"}}}, "never shown")
	})
}
