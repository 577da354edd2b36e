package datalayer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kept"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Files are listed as a table with tabs, page by page.
func TestListFiles(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir := r.Server.Name(t, "-dir")
		for _, f := range []string{"b.txt", "a.csv", "sub/c.csv", "sub/deep/d.csv", "sub/deep/deeper/e.csv"} {
			r.Server.Write(t, dir+"/"+f, strings.Repeat("x", 2000))
		}
		list := func(args toolstest.Dict) string {
			t.Helper()
			args["path"] = dir
			return r.Said("list_files", args)
		}
		paths := func(text string) (out []string) {
			for _, line := range strings.Split(text, "\n")[3:] {
				p, _, _ := strings.Cut(line, "\t")
				out = append(out, strings.TrimPrefix(p, dir+"/"))
			}
			return out
		}
		got := list(toolstest.Dict{})
		lines := strings.Split(got, "\n")
		if lines[0] != "Showing 0-5 of 5 files" || lines[1] != "" || lines[2] != "Path\tType\tSize\tLast_Modified" {
			t.Errorf("%q", got)
		}
		if f := strings.Split(lines[3], "\t"); f[0] != dir+"/a.csv" || f[1] != "file" || f[2] != "2.0KB" || len(f[3]) != len("2026-01-02 03:04:05") {
			t.Errorf("%q", lines[3])
		}
		for _, c := range []struct {
			args toolstest.Dict
			want string
		}{
			{toolstest.Dict{}, "a.csv b.txt sub sub/c.csv sub/deep"},
			{toolstest.Dict{"max_depth": 0}, "a.csv b.txt sub"},
			{toolstest.Dict{"max_depth": 3, "limit": 0}, "a.csv b.txt sub sub/c.csv sub/deep sub/deep/d.csv sub/deep/deeper sub/deep/deeper/e.csv"},
			{toolstest.Dict{"start_index": 1, "limit": 2}, "b.txt sub"},
			{toolstest.Dict{"max_depth": 3, "pattern": "**/*.csv"}, "a.csv sub/c.csv sub/deep/d.csv sub/deep/deeper/e.csv"},
			{toolstest.Dict{"pattern": dir + "/*.[!ct]*"}, ""},
			{toolstest.Dict{"pattern": dir + "/?.[c]sv"}, "a.csv"},
			{toolstest.Dict{"pattern": nil, "limit": 1}, "a.csv"},
		} {
			got := list(c.args)
			if c.want == "" {
				if !strings.HasPrefix(got, "No files matching pattern '") || !strings.HasSuffix(got, "' found in path '"+dir+"'") {
					t.Errorf("%v: %q", c.args, got)
				}
			} else if s := strings.Join(paths(got), " "); s != c.want {
				t.Errorf("%v: %s", c.args, s)
			}
		}
		if got := list(toolstest.Dict{"start_index": 50}); !strings.HasPrefix(got, "[WARNING] start_index 50 is beyond the 5 entries there are") || !strings.Contains(got, "Showing 0-5 of 5 files\n\n") {
			t.Errorf("%q", got)
		}
		empty := dir + "/empty"
		r.Server.Write(t, empty+"/.hidden", "")
		r.Wants(r.Said("list_files", toolstest.Dict{"path": empty}), "No files found in path '"+empty+"'")
		r.Bad("list_files", toolstest.Dict{"path": dir + "/none"}, "none")
		r.Bad("list_files", toolstest.Dict{"pattern": "[z-a]"}, "[z-a]")
		time.Sleep(kept.For) // "empty" was made on disk, which nobody tells
		body, _ := r.Good("list_files", toolstest.Dict{"path": dir, "max_depth": 0}, nil).StructuredContent.(map[string]any)
		if fmt.Sprint(body["columns"]) != "[Path Type Size Last_Modified]" || body["count"] != 4.0 || body["items"].([]any)[0].(map[string]any)["Type"] != "file" {
			t.Errorf("%v", body)
		}
	})
}
