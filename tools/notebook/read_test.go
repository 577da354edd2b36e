package notebook_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

func TestGetBaseURL(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		var got notebook.BaseURLResult
		r.Good("get_base_url", nil, &got)
		if got.BaseURL != r.Server.URL {
			t.Errorf("base_url = %q, want %q", got.BaseURL, r.Server.URL)
		}
		r.Bad("get_base_url", toolstest.Dict{"x": 1}, `no argument "x"`)
	})
}

func TestNbPathFromURL(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		var got notebook.URLResult
		url := r.Server.URL + "/lab/tree/example/My%20notebook.ipynb?token=" + r.Server.Token
		r.Good("nb_path_from_url", toolstest.Dict{"url": url}, &got)
		want := notebook.URLResult{OriginalURL: strings.Replace(url, r.Server.Token, "REDACTED", 1), BaseURL: r.Server.URL, NotebookPath: "example/My notebook.ipynb"}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		r.Bad("nb_path_from_url", toolstest.Dict{"url": "http://elsewhere.example/lab/tree/a.ipynb"}, "another server", r.Server.URL)
		r.Bad("nb_path_from_url", toolstest.Dict{"url": r.Server.URL + "/lab/tree/a.txt"}, "does not end with .ipynb")
		r.Bad("nb_path_from_url", toolstest.Dict{}, `"url" is missing`)
	})
}

func TestListNbs(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir := r.Server.Name(t, "")
		for _, name := range []string{
			"/b.ipynb", "/a #%?é.ipynb", "/sub/deep/er/c.ipynb",
			"/notes.md", "/.hidden/h.ipynb", "/sub/.ipynb_checkpoints/c-checkpoint.ipynb",
		} {
			r.Server.Write(t, dir+name, `{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
		}
		for _, path := range []string{dir, "/" + dir, "/" + dir + "/"} {
			var got notebook.ListNbsResult
			r.Good("list_nbs", toolstest.Dict{"path": path}, &got)
			var paths []string
			for _, n := range got.Notebooks {
				paths = append(paths, n.Path)
			}
			if want := []string{dir + "/a #%?é.ipynb", dir + "/b.ipynb", dir + "/sub/deep/er/c.ipynb"}; !slices.Equal(paths, want) {
				t.Fatalf("list_nbs(%q) = %q, want %q", path, paths, want)
			}
			test.False(t, got.Stopped, test.Sprint("stopped early"))
			test.Eq(t, "", got.Message, test.Sprint("stopped early"))
			n := got.Notebooks[0]
			test.Eq(t, "a #%?é.ipynb", n.Name)
			must.NotNil(t, n.Size)
			test.NotEq(t, 0, *n.Size)
			test.True(t, n.Writable)
			test.Eq(t, r.Server.URL+"/lab/tree/"+dir+"/a%20%23%25%3F%C3%A9.ipynb", n.URL)
			for _, s := range []string{n.LastModified, n.Created} {
				if _, err := time.Parse(time.RFC3339, s); err != nil {
					t.Errorf("%q is no ISO 8601 time: %v", s, err)
				}
			}
		}
		for name, want := range map[string][]string{
			"":      {"/a #%?é.ipynb", "/b.ipynb", "/sub/deep/er/c.ipynb"},
			"É":     {"/a #%?é.ipynb"},
			"#%?":   {"/a #%?é.ipynb"}, // as written
			"C":     {"/sub/deep/er/c.ipynb"},
			"[BC]":  {"/b.ipynb", "/sub/deep/er/c.ipynb"},
			"?":     {"/a #%?é.ipynb", "/b.ipynb", "/sub/deep/er/c.ipynb"},
			"[!b]*": {"/a #%?é.ipynb", "/sub/deep/er/c.ipynb"},
			"b*nb":  {"/b.ipynb"},
		} {
			var got notebook.ListNbsResult
			r.Good("list_nbs", toolstest.Dict{"path": dir, "name": name}, &got)
			var paths []string
			for _, n := range got.Notebooks {
				paths = append(paths, strings.TrimPrefix(n.Path, dir))
			}
			test.SliceEqOp(t, want, paths, test.Sprint(name))
			test.Eq(t, "", got.Message, test.Sprint(name))
		}
		var none notebook.ListNbsResult
		r.Good("list_nbs", toolstest.Dict{"path": dir, "name": "x*"}, &none)
		must.SliceEmpty(t, none.Notebooks, must.Sprint("like none"))
		test.Eq(t, `none of 3 notebooks match name "x*"`, none.Message, test.Sprint("like none"))
		r.Bad("list_nbs", toolstest.Dict{"path": dir, "name": "b[a"}, `"b[a"`, "not a pattern")
		r.Bad("list_nbs", toolstest.Dict{"path": dir, "name": "sub/c"}, `"sub/c"`, "folder")
		r.Bad("list_nbs", toolstest.Dict{"path": dir + "/none"}, dir+"/none", "404")
		r.Bad("list_nbs", toolstest.Dict{"path": dir + "/b.ipynb"}, "not a folder")
		r.Bad("list_nbs", toolstest.Dict{"path": "../.."}, `".."`)
	})
}

func TestGetNbStat(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1", "2")
		var got notebook.Stat
		r.Good("get_nb_stat", toolstest.Dict{"path": "/" + path}, &got)
		test.Eq(t, path, got.Path, test.Sprint("before a kernel runs"))
		test.Eq(t, 2, got.CellCount, test.Sprint("before a kernel runs"))
		test.EqOp(t, notebook.KernelStat{Name: "python3", ID: "", State: notebook.NoKernel}, got.Kernel, test.Sprint("before a kernel runs"))
		test.NotEq(t, "", got.Revision, test.Sprint("before a kernel runs"))
		if _, err := time.Parse(time.RFC3339, got.LastModified); err != nil {
			t.Error(err)
		}
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, nil)
		r.Good("get_nb_stat", toolstest.Dict{"path": path}, &got)
		test.Eq(t, "python3", got.Kernel.Name, test.Sprint("with a kernel"))
		test.NotEq(t, "", got.Kernel.ID, test.Sprint("with a kernel"))
		test.NotEq(t, "", got.Kernel.State, test.Sprint("with a kernel"))
		test.NotEq(t, notebook.NoKernel, got.Kernel.State, test.Sprint("with a kernel"))
	})
}

func TestReadNbCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[
		{"id":"m","cell_type":"markdown","source":"# Title","metadata":{"tags":["x"]}},
		{"id":"c","cell_type":"code","source":["a = 1\n","a"],"metadata":{},"execution_count":7,"outputs":[
			{"output_type":"stream","name":"stdout","text":["one\n","two\n"]},
			{"output_type":"execute_result","data":{"text/plain":"1"},"metadata":{},"execution_count":7}]},
		{"id":"r","cell_type":"raw","source":"","metadata":{}}]}`)
		got := r.Read(path)
		must.Eq(t, path, got.Path)
		must.Eq(t, 3, got.CellCount)
		must.SliceLen(t, 3, got.Cells)
		must.False(t, got.Truncated)
		must.Eq(t, notebook.DefaultCellData, got.Max)
		must.Eq(t, "", got.Next)
		m, c := got.Cells[0], got.Cells[1]
		test.Eq(t, "m", m.ID)
		test.Eq(t, 0, m.Index)
		test.Eq(t, "markdown", m.CellType)
		test.Eq(t, "# Title", m.Source)
		test.Eq(t, "map[tags:[x]]", fmt.Sprint(m.Metadata))
		test.NotNil(t, m.Outputs)
		test.Eq(t, "c", c.ID)
		test.Eq(t, "a = 1\na", c.Source)
		must.NotNil(t, c.ExecutionCount)
		test.Eq(t, 7, *c.ExecutionCount)
		test.SliceLen(t, 2, c.Truncated.Outputs)
		want := `[{"name":"stdout","output_type":"stream","text":"one\ntwo\n"},` +
			`{"data":{"text/plain":"1"},"execution_count":7,"metadata":{},"output_type":"execute_result"}]`
		if outputs := sample.AsJSON(t, c.Outputs); outputs != want {
			t.Errorf("outputs = %s", outputs)
		}

		var some notebook.ReadResult
		r.Good("read_nb_cells", toolstest.Dict{"path": "/" + path, "ranges": []toolstest.Dict{{"start": 2}, {"start": 0, "end": 2}, {"start": 1}}}, &some)
		var order []int
		for _, c := range some.Cells {
			order = append(order, c.Index)
		}
		if !slices.Equal(order, []int{2, 0, 1}) {
			t.Errorf("ranges read the cells %v", order)
		}
		r.Good("read_nb_cells", toolstest.Dict{"path": path, "maxCellData": 4}, &some)
		c = some.Cells[1]
		test.True(t, some.Truncated, test.Sprint("with 4 characters"))
		test.True(t, c.Truncated.Source, test.Sprint("with 4 characters"))
		test.LessEq(t, 4, textfmt.Size(c.Source), test.Sprint("with 4 characters"))
		test.SliceEqOp(t, []bool{true, false}, c.Truncated.Outputs, test.Sprint("with 4 characters"))
		test.Eq(t, 4, some.Max, test.Sprint("with 4 characters"))
	})
}

func TestReadNbCellsRefuses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1", "2", "3")
		defer r.Unchanged(path)()
		read := func(ranges ...toolstest.Dict) toolstest.Dict { return toolstest.Dict{"path": path, "ranges": ranges} }
		r.Bad("read_nb_cells", read(toolstest.Dict{"start": 3}), "start 3", "out of range", "3 cells")
		r.Bad("read_nb_cells", read(toolstest.Dict{"start": 3, "end": 9999}), "end 9999", "3 cells")
		r.Bad("read_nb_cells", read(toolstest.Dict{"start": -5}), "start -5", "negative", "3 cells")
		r.Bad("read_nb_cells", read(toolstest.Dict{"start": 2, "end": 1}), "reversed", "3 cells")
		r.Bad("read_nb_cells", read(toolstest.Dict{"start": 1, "end": 1}), "empty", "3 cells")
		r.Bad("read_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{}}, "ranges is a list of 0")
		r.Bad("read_nb_cells", toolstest.Dict{"path": path, "maxCellData": -1}, "maxCellData is -1")
	})
}

// Reading a notebook of any size continues with the answer's cursor, until all has been read.
func TestReadNbCellsPages(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		var sources []string
		for i := range 10 {
			sources = append(sources, fmt.Sprintf("# %d\n%s", i, strings.Repeat("é\"<", 10_000)))
		}
		path := r.Server.Notebook(t, sources...)
		args := toolstest.Dict{"path": path, "maxCellData": notebook.MaxCellData}
		var read []string
		for calls := 1; ; calls++ {
			var got notebook.ReadResult
			r.Good("read_nb_cells", args, &got)
			for _, c := range got.Cells {
				read = append(read, c.Source)
			}
			if got.Next == "" {
				if calls == 1 {
					t.Error("all fitted in one answer: the test shows nothing")
				}
				break
			}
			args["cursor"] = got.Next
			if calls > 40 {
				t.Fatal("no end")
			}
		}
		if !slices.Equal(read, sources) {
			t.Errorf("%d cells read, or not as they are", len(read))
		}
	})
}

// Every tool that takes a notebook refuses a path that is not one, and changes nothing.
func TestNoSuchNotebook(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Server.Write(t, "plain.txt", "hello")
		r.Server.Write(t, "folder/x.txt", "hello")
		rest := map[string]toolstest.Dict{
			"get_nb_stat":      {},
			"read_nb_cells":    {},
			"insert_nb_cells":  {"position": 0, "cells": []toolstest.Dict{{"content": "1"}}},
			"modify_nb_cells":  {"modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "1"}}},
			"delete_nb_cells":  {"ranges": []toolstest.Dict{{"start": 0}}},
			"execute_nb_cells": {"ranges": []toolstest.Dict{{"start": 0}}},
		}
		for tool, args := range rest {
			for path, says := range map[string][]string{
				"none.ipynb":         {"no notebook", "none.ipynb", "list_nbs"},
				"plain.txt":          {"plain.txt", "not a notebook"},
				"folder":             {"folder", "not a notebook"},
				"/":                  {"root folder"},
				"../../etc/passwd":   {`".."`},
				"a\x00.ipynb":        {"NUL"},
				"folder/../x.ipynb":  {`".."`},
				"nowhere/none.ipynb": {"no notebook", "nowhere/none.ipynb"},
			} {
				if tool == "read_nb_cells" && !strings.HasSuffix(path, ".ipynb") {
					continue // read as a text, see TestReadText
				}
				with := toolstest.Dict{"path": path}
				for k, v := range args {
					with[k] = v
				}
				r.Bad(tool, with, says...)
			}
		}
		if _, err := r.Srv.Contents.Get(t.Context(), jupyter.MustPath("none.ipynb"), jupyter.ContentsOptions{}); err == nil {
			t.Error("a tool made the notebook")
		}
	})
}

// Images are beside the JSON, which names them.
func TestReadShowsImages(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
		nb := toolstest.Dict{"nbformat": 4, "nbformat_minor": 5, "metadata": toolstest.Dict{}, "cells": []toolstest.Dict{{
			"id": "c", "cell_type": "code", "source": "plot()", "metadata": toolstest.Dict{}, "execution_count": 1,
			"outputs": []toolstest.Dict{{"output_type": "display_data", "metadata": toolstest.Dict{}, "data": toolstest.Dict{"text/plain": "<Figure>", "image/png": png + "\n"}}},
		}}}
		b, err := json.Marshal(nb)
		if err != nil {
			t.Fatal(err)
		}
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), string(b))
		var got notebook.ReadResult
		res := r.Good("read_nb_cells", toolstest.Dict{"path": path}, &got)
		images := toolstest.ImagesOf(res)
		must.SliceLen(t, 1, images)
		must.Eq(t, png, images[0].Data)
		must.Eq(t, "image/png", images[0].MIMEType)
		if data := got.Cells[0].Outputs[0]["data"].(map[string]any); !strings.HasPrefix(data["image/png"].(string), "<image 1, 1×1, 70 B, shown below: jupyter://sessions/") {
			t.Errorf("data = %v", data)
		}
	})
}
