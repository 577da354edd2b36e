package analysis_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/inspect"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestPreviewData(t *testing.T) {
	jupytertest.NeedsReal(t, "a preview, which is made in a kernel")
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		folder := r.Server.Name(t, "")
		path := r.Server.Write(t, folder+"/sales.csv", "id;price;when\n1;2.5;2024-01-31\n2;;\n")
		var p inspect.Preview
		r.Good("preview_data", toolstest.Dict{"path": "/" + path, "rows": 1}, &p)
		if p.Path != path || p.Format != "csv" || p.Size != 35 || *p.Rows != 2 || string(p.Head) != `[{"id":1,"price":2.5,"when":"2024-01-31"}]` || p.Delimiter != ";" || p.Truncated {
			t.Errorf("%+v", p)
		}
		// A session only says of what kind the kernel is to be; its own has nothing to do with it.
		id := r.Create(nil).ID
		r.Execute(id, "x = 1")
		r.Good("preview_data", toolstest.Dict{"path": path, "session_id": id, "delimiter": ",", "encoding": "latin-1"}, &p)
		if len(p.Columns) != 1 || p.Encoding != "iso8859-1" {
			t.Errorf("%+v", p)
		}
		if out := r.Execute(id, "print(dir())"); out.Count == nil || *out.Count != 2 || strings.Contains(out.Stdout, "csv") {
			t.Errorf("%+v", out)
		}

		if listed := toolstest.MessageOf(r.Call("session_list", nil)); strings.Contains(listed, r.Work.Helper.KernelID()) {
			t.Errorf("the helper kernel is listed: %s", listed)
		}

		r.Server.Write(t, folder+"/wrong.parquet", "nothing")
		r.Server.Write(t, folder+"/a.json", "{}")
		for _, c := range []struct {
			args toolstest.Dict
			code string
			says string
		}{
			{toolstest.Dict{"path": folder}, "is_a_folder", "list_documents"},
			{toolstest.Dict{"path": folder + "/none.csv"}, "file_not_found", "none.csv"},
			{toolstest.Dict{"path": folder + "/wrong.parquet"}, "not_readable", "wrong.parquet"},
			{toolstest.Dict{"path": folder + "/a.json"}, "unsupported_format", "get_document_content"},
			{toolstest.Dict{"path": path, "session_id": "none"}, "session_not_found", "none"},
			{toolstest.Dict{"path": path, "delimiter": "\n"}, "invalid_delimiter", `"\n"`},
			{toolstest.Dict{"path": path, "encoding": "__import__('os')"}, "invalid_encoding", "utf-8"},
			{toolstest.Dict{"path": path, "format": "sqlite", "table": "x; drop table y"}, "not_readable", "SQLite"},
		} {
			r.Refused(r.Client, "preview_data", c.args, c.code, c.says)
		}
		r.Bad("preview_data", toolstest.Dict{"path": "../" + path}, `".."`)
		r.Bad("preview_data", toolstest.Dict{"path": "/"}, "root folder")
		r.Bad("preview_data", toolstest.Dict{"path": path, "rows": 101}, "rows is 101")
		r.Bad("preview_data", toolstest.Dict{"path": path, "format": "exe"}, "csv")
		if files, err := filepath.Glob(filepath.Join(r.Server.Root, folder, "*")); err != nil || len(files) != 3 {
			t.Errorf("files were made: %v, %v", files, err)
		}
	})
}

// The longest answer is short enough for everybody.
func TestPreviewOfMuch(t *testing.T) {
	jupytertest.NeedsReal(t, "a preview, which is made in a kernel")
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		value := strings.Repeat("é\"\\", 200)
		row := strings.Repeat("\""+strings.ReplaceAll(value, `"`, `""`)+"\",", 500)
		path := r.Server.Write(t, r.Server.Name(t, ".csv"), strings.Repeat(row+"\n", 20))
		var p inspect.Preview
		r.Good("preview_data", toolstest.Dict{"path": path, "rows": inspect.MaxHeadRows}, &p)
		if len(p.Columns) != inspect.MaxColumns || *p.Shape[1] != 501 || !p.Truncated {
			t.Errorf("%d of %d columns, %v", len(p.Columns), *p.Shape[1], p.Notes)
		}
	})
}
