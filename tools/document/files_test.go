package document_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestListDocuments(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir := r.Folder()
		r.Server.Write(t, dir+"/b 日.md", "text")
		r.Server.Write(t, dir+"/a.ipynb", r.Server.Read(t, r.Server.Notebook(t, "1")))
		r.Server.Write(t, dir+"/sub/deep/c.txt", "")
		r.Server.Write(t, dir+"/.hidden/d.md", "")
		r.Server.Write(t, dir+"/.ipynb_checkpoints/b-checkpoint.md", "")
		var got []document.ListedDocument // the seed: a JSON array
		names := func() string {
			var out []string
			for _, d := range got {
				out = append(out, d.Type+":"+strings.TrimPrefix(d.Path, dir+"/"))
			}
			return strings.Join(out, " ")
		}
		res := r.Good("list_documents", toolstest.Dict{"path": "/" + dir}, &got)
		must.Eq(t, "notebook:a.ipynb file:b 日.md directory:sub", names(), must.Sprint("one level"))
		must.SliceLen(t, 1, res.Content, must.Sprint("one level"))
		base, escaped := r.Server.URL, strings.NewReplacer(" ", "%20", "é", "%C3%A9", "#", "%23", "%", "%25", "?", "%3F").Replace(dir)
		for i, want := range []string{"/lab/tree/" + escaped + "/a.ipynb", "/lab/tree/" + escaped + "/b%20%E6%97%A5.md", "/lab/tree/" + escaped + "/sub"} {
			if got[i].URL != base+want {
				t.Errorf("the address of %s is %s, want %s", got[i].Path, got[i].URL, base+want)
			}
		}
		md := got[1]
		test.Eq(t, "b 日.md", md.Name, test.Sprint("a file"))
		must.NotNil(t, md.Size, must.Sprint("a file"))
		test.Eq(t, 4, *md.Size, test.Sprint("a file"))
		test.True(t, md.Writable, test.Sprint("a file"))
		test.Nil(t, got[2].Size, test.Sprint("a file"))
		for _, s := range []string{md.Created, md.LastModified} {
			if _, err := time.Parse(time.RFC3339, s); err != nil {
				t.Error(err)
			}
		}
		r.Good("list_documents", toolstest.Dict{"path": dir, "max_depth": 2}, &got)
		if names() != "notebook:a.ipynb file:b 日.md directory:sub directory:sub/deep" {
			t.Errorf("two levels: %s", names())
		}
		r.Good("list_documents", toolstest.Dict{"path": dir, "max_depth": 20}, &got)
		if names() != "notebook:a.ipynb file:b 日.md directory:sub directory:sub/deep file:sub/deep/c.txt" {
			t.Errorf("all levels: %s", names())
		}
		if r.Good("list_documents", nil, &got); len(got) == 0 {
			t.Error("the root is empty")
		}
		r.Bad("list_documents", toolstest.Dict{"path": dir + "/b 日.md"}, "not a folder")
		r.Bad("list_documents", toolstest.Dict{"path": dir + "/no"}, "no document")
	})
}

// A long list says in a second text that it is incomplete.
func TestListDocumentsStopsEarly(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir := r.Folder()
		for i := range 400 { // with paths of a kilobyte each
			r.Server.Write(t, fmt.Sprintf("%s/%04d%s", dir, i, strings.Repeat("日", 80)), "")
		}
		var got []document.ListedDocument
		res := r.Good("list_documents", toolstest.Dict{"path": dir}, &got)
		var note document.ListNote
		texts := toolstest.TextsOf(res)
		must.SliceLen(t, 2, texts)
		must.NoError(t, json.Unmarshal([]byte(texts[1]), &note))
		must.GreaterEq(t, 100, len(got))
		must.Less(t, 400, len(got))
		test.True(t, note.Stopped)
		test.NotEq(t, "", note.Message)
	})
}

func TestCreateDocument(t *testing.T) {
	r := toolstest.New(t)
	dir := r.Folder()
	var got document.CreateResult
	made := func(args toolstest.Dict, typ string) string {
		t.Helper()
		r.Good("create_document", args, &got)
		path := strings.TrimPrefix(args["path"].(string), "/")
		if want := (document.CreateResult{Message: fmt.Sprintf("Successfully created %s at '%s'", typ, path), Path: path, Type: typ}); got != want {
			t.Errorf("created %+v, want %+v", got, want)
		}
		return path
	}
	if got := r.Server.Read(t, made(toolstest.Dict{"path": "/" + dir + "/a.md", "type": "markdown", "content": "# 😀\r\n"}, "markdown")); got != "# 😀\n" {
		t.Errorf("the file holds %q", got)
	}
	if got := r.Server.Read(t, made(toolstest.Dict{"path": dir + "/Makefile", "type": "file"}, "file")); got != "" {
		t.Errorf("the file holds %q", got)
	}
	empty := r.Read(made(toolstest.Dict{"path": dir + "/new.ipynb"}, "notebook"))
	must.SliceLen(t, 1, empty.Cells, must.Sprint("a new notebook"))
	test.Eq(t, "code", empty.Cells[0].CellType, test.Sprint("a new notebook"))
	test.Eq(t, "", empty.Cells[0].Source, test.Sprint("a new notebook"))
	if !strings.Contains(r.Server.Read(t, dir+"/new.ipynb"), `"name": "python3"`) {
		t.Error("a new notebook asks for no kernel")
	}
	cells := r.Read(made(toolstest.Dict{"path": dir + "/cells.ipynb", "content": `[{"type":"markdown","content":"# T"},{"content":"x = '😀'"},{"cell_type":"raw","source":["a\n","b"],"metadata":{}}]`}, "notebook")).Cells
	must.SliceLen(t, 3, cells, must.Sprint("a notebook of cells"))
	test.Eq(t, "markdown", cells[0].CellType, test.Sprint("a notebook of cells"))
	test.Eq(t, "code", cells[1].CellType, test.Sprint("a notebook of cells"))
	test.Eq(t, "x = '😀'", cells[1].Source, test.Sprint("a notebook of cells"))
	test.Eq(t, "a\nb", cells[2].Source, test.Sprint("a notebook of cells"))
	whole := r.Server.Read(t, r.Server.Notebook(t, "x = 1"))
	cells = r.Read(made(toolstest.Dict{"path": dir + "/whole.ipynb", "content": whole}, "notebook")).Cells
	must.SliceLen(t, 1, cells, must.Sprint("a whole notebook"))
	test.Eq(t, "c0", cells[0].ID, test.Sprint("a whole notebook"))
	before := r.Listing(dir)
	for what, c := range map[string]struct {
		args toolstest.Dict
		says string
	}{
		"exists":            {toolstest.Dict{"path": dir + "/a.md", "type": "file", "content": "x"}, "already exists: choose another path"},
		"a folder":          {toolstest.Dict{"path": dir, "type": "file"}, "already exists: choose another path"},
		"no folder":         {toolstest.Dict{"path": dir + "/no/a.md", "type": "file"}, "no folder"},
		"no notebook name":  {toolstest.Dict{"path": dir + "/b.md"}, "does not end in .ipynb"},
		"a notebook name":   {toolstest.Dict{"path": dir + "/b.ipynb", "type": "file"}, "makes it a notebook"},
		"no Markdown name":  {toolstest.Dict{"path": dir + "/b.py", "type": "markdown"}, "does not end in .md"},
		"no JSON":           {toolstest.Dict{"path": dir + "/b.ipynb", "content": "# Title"}, "not valid JSON"},
		"JSON cut off":      {toolstest.Dict{"path": dir + "/b.ipynb", "content": `{"cells": [`}, "unexpected end"},
		"JSON and more":     {toolstest.Dict{"path": dir + "/b.ipynb", "content": `[] x`}, "text after the end"},
		"no notebook":       {toolstest.Dict{"path": dir + "/b.ipynb", "content": `"x"`}, "is a string"},
		"nbformat 3":        {toolstest.Dict{"path": dir + "/b.ipynb", "content": `{"nbformat":3,"nbformat_minor":0,"metadata":{},"worksheets":[]}`}, `"worksheets"`},
		"no metadata":       {toolstest.Dict{"path": dir + "/b.ipynb", "content": `{"nbformat":4,"nbformat_minor":5,"cells":[]}`}, `"metadata" is missing`},
		"cell type":         {toolstest.Dict{"path": dir + "/b.ipynb", "content": `[{"type":"heading","content":""}]`}, `cells[0].type is "heading"`},
		"cell member":       {toolstest.Dict{"path": dir + "/b.ipynb", "content": `[{"content":"","run":true}]`}, `"run"`},
		"one id twice":      {toolstest.Dict{"path": dir + "/b.ipynb", "content": `[{"id":"a","cell_type":"raw","source":"","metadata":{}},{"id":"a","cell_type":"raw","source":"","metadata":{}}]`}, "cells[1] has the id"},
		"output of no type": {toolstest.Dict{"path": dir + "/b.ipynb", "content": `[{"cell_type":"code","source":"","metadata":{},"execution_count":null,"outputs":[{}]}]`}, "cells[0].outputs[0].output_type"},
	} {
		t.Run(what, func(*testing.T) { r.Bad("create_document", c.args, c.says) })
	}
	after := r.Listing(dir)
	test.SliceEqOp(t, after, before)
	test.Eq(t, "# 😀\n", r.Server.Read(t, dir+"/a.md"))
}

func TestGetDocumentInfo(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.TextFile("# Document Content 😀")
		var info document.Info
		if res := r.Good("get_document_info", toolstest.Dict{"path": "/" + path}, &info); len(res.Content) != 1 {
			t.Errorf("%d texts", len(res.Content))
		}
		test.Eq(t, path, info.Path)
		test.Eq(t, path, info.Name)
		test.Eq(t, "file", info.Type)
		test.Eq(t, "text", info.Format)
		test.Eq(t, "text/markdown", info.MimeType)
		must.NotNil(t, info.Size)
		test.Eq(t, 23, *info.Size)
		test.True(t, info.Writable)
		test.StrHasPrefix(t, r.Server.URL+"/lab/tree/", info.URL)
		res := r.Good("get_document_info", toolstest.Dict{"path": path, "include_content": true, "max_content": 10}, &info)
		texts := toolstest.TextsOf(res)
		must.SliceLen(t, 3, texts, must.Sprint("with content"))
		test.Eq(t, `{"content_length":20,"truncated":true}`, texts[1], test.Sprint("with content"))
		test.Eq(t, "# Document", texts[2], test.Sprint("with content"))
		// The content is that of the room.
		r.Good("insert_document_text", toolstest.Dict{"path": path, "position": 0, "text": "fresh "}, nil)
		if texts := toolstest.TextsOf(r.Good("get_document_info", toolstest.Dict{"path": path, "include_content": true}, nil)); texts[2] != "fresh # Document Content 😀" {
			t.Errorf("after an edit: %q", texts)
		}
		nb := r.Server.Notebook(t, "x = 1")
		texts = toolstest.TextsOf(r.Good("get_document_info", toolstest.Dict{"path": nb, "include_content": true}, &info))
		test.Eq(t, "notebook", info.Type, test.Sprint("a notebook"))
		test.Eq(t, "json", info.Format, test.Sprint("a notebook"))
		test.StrContains(t, texts[2], `"source": "x = 1"`, test.Sprint("a notebook"))
		test.StrContains(t, info.URL, "/lab/tree/", test.Sprint("a notebook"))
		png := r.Server.Write(t, r.Server.Name(t, ".png"), "\x89PNG\r\n\x1a\n")
		texts = toolstest.TextsOf(r.Good("get_document_info", toolstest.Dict{"path": png, "include_content": true}, &info))
		test.Eq(t, "base64", info.Format, test.Sprint("an image"))
		test.Eq(t, "image/png", info.MimeType, test.Sprint("an image"))
		test.Eq(t, "iVBORw0KGgo=", strings.TrimSpace(texts[2]), test.Sprint("an image"))
		dir := r.Folder()
		r.Good("get_document_info", toolstest.Dict{"path": dir}, &info)
		test.Eq(t, "directory", info.Type, test.Sprint("a folder"))
		must.Nil(t, info.Size, must.Sprint("a folder"))
		test.StrContains(t, info.URL, "/tree/", test.Sprint("a folder"))
		r.Bad("get_document_info", toolstest.Dict{"path": dir, "include_content": true}, "is a folder")
		r.Bad("get_document_info", toolstest.Dict{"path": dir + "/no"}, "no document")
	})
}

func TestDeleteRenameCopyDocument(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir := r.Folder()
		r.Server.Write(t, dir+"/a.md", "text\n")
		r.Good("insert_document_text", toolstest.Dict{"path": dir + "/a.md", "position": 0, "text": "fresh "}, nil)
		var copied document.CopyResult
		r.Good("copy_document", toolstest.Dict{"path": "/" + dir + "/a.md", "copyPath": "/" + dir + "/copy 😀.md"}, &copied)
		if want := (document.CopyResult{Message: fmt.Sprintf("Successfully copied document from '%s/a.md' to '%s/copy 😀.md'", dir, dir), OriginalPath: dir + "/a.md", CopyPath: dir + "/copy 😀.md"}); copied != want {
			t.Errorf("copied %+v, want %+v", copied, want)
		}
		if got := r.Server.Read(t, dir+"/copy 😀.md"); got != "fresh text\n" {
			t.Errorf("the copy holds %q", got)
		}
		var renamed document.RenameResult
		r.Good("rename_document", toolstest.Dict{"path": dir + "/a.md", "newPath": "/" + dir + "/b.md"}, &renamed)
		if want := (document.RenameResult{Message: fmt.Sprintf("Successfully renamed document from '%s/a.md' to '%s/b.md'", dir, dir), OldPath: dir + "/a.md", NewPath: dir + "/b.md", Warning: ""}); renamed != want {
			t.Errorf("renamed %+v, want %+v", renamed, want)
		}
		// The session followed, and so did the record of shown text.
		var s document.Session
		if r.Good("query_document_session", toolstest.Dict{"path": dir + "/b.md"}, &s); s.Status != "connected" {
			t.Errorf("its session: %+v", s)
		}
		r.Good("insert_document_text", toolstest.Dict{"path": dir + "/b.md", "position": 0, "text": "more "}, nil)
		r.FileIs(dir+"/b.md", "more fresh text\n")
		moved := dir + " moved"
		r.Good("rename_document", toolstest.Dict{"path": dir, "newPath": moved}, &renamed)
		r.Good("insert_document_text", toolstest.Dict{"path": moved + "/b.md", "position": 0, "text": "and "}, nil)
		r.FileIs(moved+"/b.md", "and more fresh text\n")
		dir = moved

		before := r.Listing(dir)
		for _, c := range []struct {
			tool string
			args toolstest.Dict
			says string
		}{
			{"copy_document", toolstest.Dict{"path": dir + "/b.md", "copyPath": dir + "/copy 😀.md"}, "already exists: choose another path"},
			{"copy_document", toolstest.Dict{"path": dir + "/b.md", "copyPath": dir + "/no/c.md"}, "no folder"},
			{"copy_document", toolstest.Dict{"path": dir + "/no.md", "copyPath": dir + "/c.md"}, "no document"},
			{"copy_document", toolstest.Dict{"path": dir + "/b.md", "copyPath": dir + "/c.ipynb"}, "only a notebook"},
			{"copy_document", toolstest.Dict{"path": dir, "copyPath": dir + "2"}, "is a folder"},
			{"copy_document", toolstest.Dict{"path": dir + "/b.md", "copyPath": "../x"}, `copyPath`},
			{"rename_document", toolstest.Dict{"path": dir + "/b.md", "newPath": dir + "/copy 😀.md"}, "already exists: choose another path"},
			{"rename_document", toolstest.Dict{"path": dir + "/b.md", "newPath": dir + "/b.md"}, "nothing to rename"},
			{"rename_document", toolstest.Dict{"path": dir + "/b.md", "newPath": dir + "/b.ipynb"}, ".ipynb"},
			{"rename_document", toolstest.Dict{"path": dir + "/b.md", "newPath": dir + "/no/c.md"}, "no folder"},
			{"rename_document", toolstest.Dict{"path": dir + "/no.md", "newPath": dir + "/c.md"}, "no document"},
			{"rename_document", toolstest.Dict{"path": dir, "newPath": dir + "/sub"}, "folder"},
			{"rename_document", toolstest.Dict{"path": dir + "/b.md", "newPath": "/"}, "newPath \"/\" names the server's root"},
			{"delete_document", toolstest.Dict{"path": dir}, "only empty folders"},
			{"delete_document", toolstest.Dict{"path": "/"}, "root folder"},
			{"delete_document", toolstest.Dict{"path": dir + "/no.md"}, "no document"},
		} {
			r.Bad(c.tool, c.args, c.says)
		}
		if after := r.Listing(dir); !slices.Equal(before, after) {
			t.Errorf("refused calls left %q, before %q", after, before)
		}

		var gone document.DeleteResult
		for _, name := range []string{"/b.md", "/copy 😀.md", ""} {
			r.Good("delete_document", toolstest.Dict{"path": "/" + dir + name}, &gone)
			test.Eq(t, dir+name, gone.Path)
			test.Eq(t, "Successfully deleted document at '"+dir+name+"'", gone.Message)
		}
		if r.Good("query_document_session", toolstest.Dict{"path": dir + "/b.md"}, &s); s.Status != "disconnected" {
			t.Errorf("the session of what was deleted: %+v", s)
		}
		if _, err := os.Stat(filepath.Join(r.Server.Root, dir)); !os.IsNotExist(err) {
			t.Errorf("the folder is still there: %v", err)
		}
	})
}

// A new file at the path of a deleted one is known to its author.
func TestCreateAfterDelete(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.TextFile("old text\n")
		r.Content(path)
		r.Good("delete_document", toolstest.Dict{"path": path}, nil)
		r.Good("create_document", toolstest.Dict{"path": path, "type": "file", "content": "new\n"}, nil)
		r.Good("insert_document_text", toolstest.Dict{"path": path, "position": 3, "text": "er"}, nil)
		if now := r.Content(path).Content; now != "newer\n" {
			t.Errorf("it reads %q", now)
		}
	})
}

func TestDocumentSessions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		md, nb := r.TextFile("text"), r.Server.Notebook(t, "1")
		var got document.Session
		r.Good("query_document_session", toolstest.Dict{"path": "/" + md}, &got)
		test.Eq(t, "not_found", got.Status, test.Sprint("before any use"))
		test.Eq(t, md, got.Path, test.Sprint("before any use"))
		test.NotEq(t, "", got.Message, test.Sprint("before any use"))
		r.Content(md)
		r.Content(nb)
		for _, path := range []string{md, nb} {
			got = document.Session{}
			r.Good("query_document_session", toolstest.Dict{"path": path}, &got)
			test.Eq(t, path, got.Path, test.Sprint("in use"))
			test.Eq(t, "connected", got.Status, test.Sprint("in use"))
			test.NotEq(t, "", got.SessionID, test.Sprint("in use"))
			test.NotEq(t, "", got.FileID, test.Sprint("in use"))
			test.Eq(t, "RTC session is active", got.Message, test.Sprint("in use"))
			must.NotNil(t, got.ExpiresIn, must.Sprint("in use"))
			test.Nil(t, got.Saved, test.Sprint("in use"))
		}
		var sessions notebook.QuerySessionsResult
		r.Good("query_nb_sessions", nil, &sessions)
		test.Eq(t, 1, sessions.Total, test.Sprint("of notebooks alone"))
		test.Eq(t, 1, sessions.Active, test.Sprint("of notebooks alone"))
		test.Eq(t, nb, sessions.Sessions[0].Path, test.Sprint("of notebooks alone"))
		r.Bad("end_nb_session", toolstest.Dict{"path": md}, "end_document_session")
		var ended document.EndSessionResult
		for _, path := range []string{md, nb} {
			r.Good("end_document_session", toolstest.Dict{"path": "/" + path}, &ended)
			if ended != (document.EndSessionResult{Path: path, Status: "disconnected", Message: "RTC session ended successfully"}) {
				t.Errorf("ended: %+v", ended)
			}
		}
		r.Good("end_document_session", toolstest.Dict{"path": md}, &ended)
		test.Eq(t, "disconnected", ended.Status, test.Sprint("ended again"))
		test.NotEq(t, "RTC session ended successfully", ended.Message, test.Sprint("ended again"))
		if r.Good("end_document_session", toolstest.Dict{"path": md + "x"}, &ended); ended.Status != "not_found" {
			t.Errorf("never opened: %+v", ended)
		}
		// The answer reports a file that is not saved.
		if err := os.Chmod(filepath.Join(r.Server.Root, md), 0o444); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() != 0 { // root, whom file modes do not stop
			r.Content(md)
			r.Good("query_document_session", toolstest.Dict{"path": md}, &got)
			must.NotNil(t, got.Saved, must.Sprint("of a read-only file"))
			test.False(t, *got.Saved, test.Sprint("of a read-only file"))
			test.StrContains(t, got.SaveProblem, "read-only", test.Sprint("of a read-only file"))
		}
	})
}
