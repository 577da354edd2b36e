package search_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook/search"
	"github.com/nbduet/nbduet/tools/toolstest"
)

type dict = toolstest.Dict

// One notebook is searched as it is now, with unsaved text; the client may use the indexes of the hits.
func TestSearchNotebook(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "import os", "def fetch(path):\n    return 1", "fetch('x')")
		var got search.Result
		r.Good("search", dict{"path": path, "query": "FETCH("}, &got)
		must.SliceLen(t, 1, got.Notebooks)
		nb := got.Notebooks[0]
		test.Eq(t, 2, got.Matches)
		test.Eq(t, 3, nb.CellCount)
		test.NotEq(t, "", nb.Revision)
		must.SliceLen(t, 2, nb.Hits)
		test.Eq(t, 1, nb.Hits[0].Index)
		test.Eq(t, 1, nb.Hits[0].Line)
		test.Eq(t, []int{1}, nb.Hits[0].Matches)
		test.Eq(t, []string{"def fetch(path):", "    return 1"}, nb.Hits[0].Lines)
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": nb.Hits[1].Index}}}, nil)
		r.Good("search", dict{"path": path, "query": "^import", "regexp": true}, &got)
		test.Eq(t, 1, got.Matches)
		got = search.Result{}
		r.Good("search", dict{"path": path, "query": "absent"}, &got)
		test.Eq(t, 0, got.Matches)
		test.SliceLen(t, 0, got.Notebooks)
	})
}

// A text document is not searched; the answer says what to do.
func TestSearchOfATextDocument(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Bad("search", dict{"path": r.TextFile("needle"), "query": "needle"}, "is a file, and only notebooks are searched", "get_document_content")
	})
}

// A folder is searched: open notebooks as they are now, others as saved, broken ones named and passed over.
func TestSearchFolder(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir := r.Folder()
		open := r.Server.Write(t, dir+"/open.ipynb", toolstest.Book(":needle"))
		saved := r.Server.Write(t, dir+"/saved.ipynb", toolstest.Book(":x", ":a needle"))
		broken := r.Server.Write(t, dir+"/broken.ipynb", "{]")
		r.Read(open)
		r.Good("insert_nb_cells", dict{"path": open, "position": 1, "exec": false, "cells": []dict{{"content": "new needle"}}}, nil)
		var got search.Result
		r.Good("search", dict{"query": "needle", "path": dir}, &got)
		test.Eq(t, 3, got.Matches)
		for _, nb := range got.Notebooks {
			switch nb.Path {
			case open:
				test.False(t, nb.Saved)
				test.SliceLen(t, 2, nb.Hits)
			case saved:
				test.True(t, nb.Saved)
				test.Eq(t, "", nb.Revision)
				test.SliceLen(t, 1, nb.Hits)
			default:
				t.Errorf("a hit in %s", nb.Path)
			}
		}
		test.StrContains(t, got.Message, broken)
		test.StrContains(t, got.Message, "1 notebook could not be read")
	})
}

// More than 100 matches come in several answers, each once.
func TestSearchGoesOn(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir, want := r.Folder(), map[string]int{}
		for n := range 3 {
			var cells []string
			for i := range 30 {
				cells = append(cells, strings.Repeat(fmt.Sprintf(":needle %d %d\n", n, i), 2))
			}
			want[r.Server.Write(t, fmt.Sprintf("%s/%d.ipynb", dir, n), toolstest.Book(cells...))] = 60
		}
		found, calls, args := map[string]int{}, 0, dict{"query": "needle", "path": dir}
		for {
			var got search.Result
			r.Good("search", args, &got)
			calls++
			test.LessEq(t, 100, got.Matches)
			for _, nb := range got.Notebooks {
				for _, h := range nb.Hits {
					found[nb.Path] += len(h.Matches)
				}
			}
			if got.Next == "" {
				break
			}
			args["cursor"] = got.Next
		}
		test.Eq(t, want, found)
		test.Eq(t, 2, calls)
	})
}

// A notebook that another program is writing is read again once it is whole.
func TestSearchHalfWritten(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir, whole := r.Folder(), toolstest.Book(":x", ":a needle")
		half := r.Server.Write(t, dir+"/half.ipynb", whole[:len(whole)/2])
		var writing sync.WaitGroup
		defer writing.Wait()
		writing.Go(func() {
			time.Sleep(200 * time.Millisecond)
			r.Server.Write(t, half, whole)
		})
		var got search.Result
		r.Good("search", dict{"query": "needle", "path": dir}, &got)
		test.Eq(t, 1, got.Matches)
		test.Eq(t, "", got.Message)
		r.Server.Write(t, half, whole[:len(whole)/2])
		r.Good("search", dict{"query": "needle", "path": dir}, &got)
		test.StrContains(t, got.Message, "ends in the middle")
	})
}

// The failed cells of a notebook are found without a query.
func TestSearchErrors(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1", "1/0")
		r.Read(path)
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 2}}}, nil)
		var got search.Result
		r.Good("search", dict{"path": path, "in": "errors"}, &got)
		must.SliceLen(t, 1, got.Notebooks)
		must.SliceLen(t, 1, got.Notebooks[0].Hits)
		test.Eq(t, 1, got.Notebooks[0].Hits[0].Index)
		test.StrHasPrefix(t, "ZeroDivisionError", got.Notebooks[0].Hits[0].Lines[0])
	})
}

// Bad calls say what is wrong.
func TestSearchRefused(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x")
		for says, args := range map[string]dict{
			"query is missing":  {"path": path},
			"missing closing )": {"query": "(", "regexp": true},
			"matches the empty": {"query": "x*", "regexp": true},
			"unknown cursor":    {"query": "x", "cursor": "none"},
			"no notebook":       {"query": "x", "path": "absent.ipynb"},
			"not found":         {"query": "x", "path": "absent"},
		} {
			r.Bad("search", args, says)
		}
	})
}
