package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// conflict is a notebook with git's conflict marks after a merge.
const conflict = `{
 "cells": [
  {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": null, "outputs": [],
<<<<<<< HEAD
   "source": "x = 1"
=======
   "source": "x = 2"
>>>>>>> theirs
  }
 ],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5
}
`

// A notebook whose file is not a notebook can be read as text, with the faulty line, and repaired.
func TestBrokenNotebookIsMended(t *testing.T) {
	mended := strings.Join(append(strings.Split(conflict, "\n")[:3], append([]string{`   "source": "x = 3"`}, strings.Split(conflict, "\n")[8:]...)...), "\n")
	for name, c := range map[string]struct{ text, fault string }{
		"a merge conflict": {conflict, `line 4: "<<<<<<< HEAD" is a merge conflict marker`},
		"cut JSON":         {mended[:strings.Index(mended, "x = 3")], "line 4: unexpected end"},
		"a comma":          {strings.Replace(mended, `"metadata": {}, "nbformat"`, `"metadata": {} "nbformat"`, 1), "line 7: invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), c.text)
				r.Bad("read_nb_cells", toolstest.Dict{"path": path}, path+" cannot be read as a notebook: "+c.fault, "get_document_content")
				r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": mended}, "nothing was changed", "never shown")
				var got document.ContentResult
				r.Good("get_document_content", toolstest.Dict{"path": path, "max_content": 20}, &got)
				test.Eq(t, c.text[:20], got.Content)
				test.True(t, got.Truncated)
				test.StrContains(t, got.Fault, c.fault)
				r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": mended}, "nothing was changed", "you have read 20 of")
				r.Good("get_document_content", toolstest.Dict{"path": path, "position": 20}, &got)
				r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": c.text}, "nothing was changed", "not valid JSON")
				r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": "{}"}, "nothing was changed")
				if now := r.Server.Read(t, path); now != c.text {
					t.Fatalf("the file was changed: %s", now)
				}
				r.Good("overwrite_document", toolstest.Dict{"path": path, "content": mended}, nil)
				cells := r.Sources(path)
				must.SliceLen(t, 1, cells)
				test.Eq(t, "x = 3", cells[0])
				var file struct{ Cells []any }
				err := json.Unmarshal([]byte(r.Server.Read(t, path)), &file)
				must.NoError(t, err, must.Sprint("the file"))
				test.SliceLen(t, 1, file.Cells, test.Sprint("the file"))
			})
		})
	}
}

// Text that another program has written meanwhile is not overwritten.
func TestBrokenNotebookWrittenMeanwhile(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), conflict)
		was := r.Content(path)
		theirs := strings.Replace(conflict, "x = 1", "x = 100", 1)
		r.Server.Write(t, path, theirs)
		for _, args := range []toolstest.Dict{{"content": toolstest.Book("a:x")}, {"content": toolstest.Book("a:x"), "revision": was.Revision}} {
			args["path"] = path
			r.Bad("overwrite_document", args, "nothing was changed")
		}
		if now := r.Server.Read(t, path); now != theirs {
			t.Errorf("the file was changed: %s", now)
		}
		r.Good("overwrite_document", toolstest.Dict{"path": path, "content": toolstest.Book("a:x"), "force": true}, nil)
	})
}

// A text is not overwritten with its beginning by a client that has read only that, because the rest would be lost.
func TestCutTextIsNotWrittenBack(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		long := strings.Repeat("0123456789\n", 8000)
		path := r.TextFile(long)
		var got document.ContentResult
		r.Good("get_document_content", toolstest.Dict{"path": path}, &got)
		if !got.Truncated {
			t.Fatalf("%d characters were read", len(got.Content))
		}
		over := func(content string) toolstest.Dict { return toolstest.Dict{"path": path, "content": content} }
		r.Bad("overwrite_document", over("new "+got.Content), "nothing was changed", "you have read 32,768 of the 88,000 characters", "position 32768")
		r.Bad("overwrite_document", over("a"+textfmt.Marker(1000)+"b"), "nothing was changed", "mark of a cut text")
		r.FileIs(path, long)
		for got.Truncated {
			next := *got.Next
			got = document.ContentResult{}
			r.Good("get_document_content", toolstest.Dict{"path": path, "position": next}, &got)
		}
		r.Good("overwrite_document", over("short\n"), nil)
		r.FileIs(path, "short\n")
		r.Good("overwrite_document", over("shorter\n"), nil) // the client knows its own text

		nb := r.Server.Notebook(t, strings.Repeat("x = 1\n", 100))
		r.Read(nb)
		r.Bad("overwrite_document", toolstest.Dict{"path": nb, "content": toolstest.Book("c0:a" + textfmt.Marker(9) + "b")}, "nothing was changed", "cells[0]")
	})
}
