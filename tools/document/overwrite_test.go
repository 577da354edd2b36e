package document_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestOverwriteText(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r, other := toolstest.New(t), toolstest.New(t)
		path := r.TextFile("one 😀\ntwo\nthree\n")
		r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": "unread"}, "nothing was changed", "never shown")
		r.Content(path)
		var got document.OverwriteResult
		r.Good("overwrite_document", toolstest.Dict{"path": "/" + path, "content": "one 😀\r\n2\nthree\n"}, &got)
		test.Eq(t, "Successfully overwrote document at '"+path+"'", got.Message, test.Sprint("overwritten"))
		test.Eq(t, path, got.Path, test.Sprint("overwritten"))
		test.Eq(t, 14, got.Length, test.Sprint("overwritten"))
		test.False(t, got.Merged, test.Sprint("overwritten"))
		now := r.Content(path)
		test.Eq(t, "one 😀\n2\nthree\n", now.Content)
		test.Eq(t, got.Revision, now.Revision)
		r.FileIs(path, "one 😀\n2\nthree\n")
		// Text written by others meanwhile is kept, and a conflict writes nothing.
		other.Content(path)
		other.Good("replace_document_text", toolstest.Dict{"path": path, "position": 6, "length": 1, "text": "zwei"}, nil)
		r.EventuallyText(path, "one 😀\nzwei\nthree\n")
		r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": "one 😀\nII\nthree\n"}, "nothing was changed", "zwei", "II")
		got = document.OverwriteResult{}
		r.Good("overwrite_document", toolstest.Dict{"path": path, "content": "one 😀\nzwei\nthree\nfour\n"}, &got)
		now = r.Content(path)
		test.Eq(t, "one 😀\nzwei\nthree\nfour\n", now.Content, test.Sprint("merged"))
		test.False(t, got.Merged, test.Sprint("merged"))
		r.Bad("overwrite_document", toolstest.Dict{"path": path + "x", "content": ""}, "no document")
		r.Bad("overwrite_document", toolstest.Dict{"path": r.Server.Write(t, r.Server.Name(t, ".png"), "\x89PNG\xff"), "content": ""}, "not UTF-8 text")
		got = document.OverwriteResult{}
		r.Good("overwrite_document", toolstest.Dict{"path": path, "content": ""}, &got)
		now = r.Content(path)
		test.Eq(t, "", now.Content, test.Sprint("emptied"))
		test.Eq(t, 0, got.Length, test.Sprint("emptied"))
	})
}

func TestOverwriteNotebook(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b", "c", "d", "e")
		r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": toolstest.Book("c0:a")}, "nothing was changed", "never shown")
		r.Content(path)
		overwrite := func(content string) (got document.OverwriteResult) {
			t.Helper()
			r.Good("overwrite_document", toolstest.Dict{"path": path, "content": content}, &got)
			return got
		}
		is := func(want ...string) {
			t.Helper()
			if got := r.Book(path); !slices.Equal(got, want) {
				t.Errorf("cells %q, want %q", got, want)
			}
		}
		// Cells with the same id stay: moved, changed, deleted; others are new.
		overwrite(toolstest.Book("c4:e", "c0:a", "new:neu 😀", "c1:b2", "c3:d"))
		is("c4:e", "c0:a", "new:neu 😀", "c1:b2", "c3:d")
		// Without ids, cells with equal sources stay.
		overwrite(toolstest.Book(":e", ":x", ":d", ":a"))
		got := r.Book(path)
		must.SliceLen(t, 4, got, must.Sprint("without ids"))
		test.Eq(t, "c4:e", got[0], test.Sprint("without ids"))
		test.Eq(t, "c3:d", got[2], test.Sprint("without ids"))
		test.Eq(t, "c0:a", got[3], test.Sprint("without ids"))
		test.StrHasSuffix(t, ":x", got[1], test.Sprint("without ids"))
		// All parts of a cell are written, and the notebook's own metadata; equal parts are not touched.
		const whole = `{"nbformat":4,"nbformat_minor":5,"metadata":{"k":{"n":12345678901234567,"f":1.5}},"cells":[
		{"id":"m","cell_type":"markdown","source":["# 😀\n","two"],"metadata":{"tags":["t"]},"attachments":{"i.png":{"image/png":"aaaa"}}},
		{"id":"c0","cell_type":"code","source":"1","metadata":{"trusted":true,"a":1},"execution_count":3,"outputs":[
			{"output_type":"stream","name":"stdout","text":["x\n","y\n"]},
			{"output_type":"execute_result","execution_count":3,"data":{"text/plain":"1"},"metadata":{}},
			{"output_type":"error","ename":"E","evalue":"v","traceback":["t"]}]},
		{"id":"r","cell_type":"raw","source":"raw","metadata":{}}]}`
		first := overwrite(whole)
		if again := overwrite(whole); again.Revision != first.Revision {
			t.Errorf("the same again changed something: %+v, %+v", first, again)
		}
		var file, want any
		if err := json.Unmarshal([]byte(r.Content(path).Content), &file); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(strings.NewReplacer(`"trusted":true,`, "", `["# 😀\n","two"]`, `"# 😀\ntwo"`, `["x\n","y\n"]`, `"x\ny\n"`).Replace(whole)), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(file, want) {
			t.Errorf("the notebook is %v, want %v", file, want)
		}
		// The content of a read can be written back; a cell can change its type.
		if back := overwrite(r.Content(path).Content); back.Revision != first.Revision {
			t.Error("writing back what was read changed something")
		}
		overwrite(strings.Replace(whole, `"id":"r","cell_type":"raw"`, `"id":"r","cell_type":"markdown"`, 1))
		c := r.Read(path).Cells[2]
		test.Eq(t, "r", c.ID, test.Sprint("after a change of type"))
		test.Eq(t, "markdown", c.CellType, test.Sprint("after a change of type"))
		test.Eq(t, "raw", c.Source, test.Sprint("after a change of type"))
		for content, says := range map[string]string{
			"# Title": "not valid JSON", "[]": "it is a list", "{}": `"nbformat" is missing`,
			strings.Replace(whole, `"stdout"`, "5", 1):                  "cells[1].outputs[0].name",
			strings.Replace(whole, `"image/png":"aaaa"}`, `}`, 1) + "x": "text after the end",
		} {
			r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": content}, "nothing was changed", says)
		}
		is("m:# 😀\ntwo", "c0:1", "r:raw")
		overwrite(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`)
		got = r.Book(path)
		must.SliceLen(t, 1, got, must.Sprint("emptied"))
		test.StrHasSuffix(t, ":", got[0], test.Sprint("emptied"))
	})
}

// Changes by others after the notebook was shown are kept; a cell that others have added or changed is not deleted.
func TestOverwriteNotebookKeepsWhatOthersWrite(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r, other := toolstest.New(t), toolstest.New(t)
		path := r.Server.Notebook(t, "a = 1\nb = 2\n", "gone = 1", "last = 1")
		rev := r.Content(path).Revision
		other.Read(path)
		other.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "a = 100\nb = 2\n"}}}, nil)
		other.Good("insert_nb_cells", toolstest.Dict{"path": path, "exec": false, "position": 3, "cells": []toolstest.Dict{{"content": "added"}}}, nil)
		doc, err := r.Work.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Release()
		for end := time.Now().Add(time.Minute); doc.Notebook().Len() != 4; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the other's cell does not come")
			}
		}
		added, _ := doc.Notebook().CellAt(3)
		without := toolstest.Book("c0:a = 1\nb = 3\n", "c2:last = 1")
		r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": without}, "nothing was changed", added.ID, "| added", "force true")
		r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": without, "revision": rev}, "nothing was changed", added.ID, "force true")
		r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": toolstest.Book("c0:a = 7\nb = 2\n", "c1:gone = 1", "c2:last = 1", added.ID+":added")}, "nothing was changed", "a = 100", "a = 7")
		// Content that differs from the refused one is a change from the text that the refusal showed.
		var got document.OverwriteResult
		r.Good("overwrite_document", toolstest.Dict{"path": path, "content": toolstest.Book("c0:a = 100\nb = 3\n", "c2:last = 1", added.ID+":added")}, &got)
		now := r.Book(path)
		test.False(t, got.Merged, test.Sprint("merged"))
		test.SliceEqOp(t, []string{"c0:a = 100\nb = 3\n", "c2:last = 1", added.ID + ":added"}, now, test.Sprint("merged"))
	})
}
