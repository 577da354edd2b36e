package analysis_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/inspect"
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
		test.Eq(t, path, p.Path)
		test.Eq(t, "csv", p.Format)
		test.Eq(t, 35, p.Size)
		test.Eq(t, 2, *p.Rows)
		test.Eq(t, `[{"id":1,"price":2.5,"when":"2024-01-31"}]`, string(p.Head))
		test.Eq(t, ";", p.Delimiter)
		test.False(t, p.Truncated)
		// A session only chooses the kernelspec; its own kernel is not used.
		id := r.Create(nil).ID
		r.Execute(id, "x = 1")
		r.Good("preview_data", toolstest.Dict{"path": path, "session_id": id, "delimiter": ",", "encoding": "latin-1"}, &p)
		must.SliceLen(t, 1, p.Columns)
		test.Eq(t, "iso8859-1", p.Encoding)
		out := r.Execute(id, "print(dir())")
		must.NotNil(t, out.Count)
		test.Eq(t, 2, *out.Count)
		test.StrNotContains(t, out.Stdout, "csv")

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
		files, err := filepath.Glob(filepath.Join(r.Server.Root, folder, "*"))
		must.NoError(t, err, must.Sprint("files were made"))
		test.SliceLen(t, 3, files, test.Sprint("files were made"))
	})
}

// The longest answer stays within the limit of all hosts.
func TestPreviewOfMuch(t *testing.T) {
	jupytertest.NeedsReal(t, "a preview, which is made in a kernel")
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		value := strings.Repeat("é\"\\", 200)
		row := strings.Repeat("\""+strings.ReplaceAll(value, `"`, `""`)+"\",", 500)
		path := r.Server.Write(t, r.Server.Name(t, ".csv"), strings.Repeat(row+"\n", 20))
		var p inspect.Preview
		r.Good("preview_data", toolstest.Dict{"path": path, "rows": inspect.MaxHeadRows}, &p)
		must.SliceLen(t, inspect.MaxColumns, p.Columns)
		test.Eq(t, 501, *p.Shape[1])
		test.True(t, p.Truncated)
	})
}
