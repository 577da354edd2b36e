package datalayer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/listcache"
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
		test.Eq(t, "Showing 0-5 of 5 files", lines[0], test.Sprint(got))
		test.Eq(t, "", lines[1], test.Sprint(got))
		test.Eq(t, "Path\tType\tSize\tLast_Modified", lines[2], test.Sprint(got))
		f := strings.Split(lines[3], "\t")
		test.Eq(t, dir+"/a.csv", f[0])
		test.Eq(t, "file", f[1])
		test.Eq(t, "2.0KB", f[2])
		test.Eq(t, len("2026-01-02 03:04:05"), len(f[3]))
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
				test.StrHasPrefix(t, "No files matching pattern '", got, test.Sprint(c.args))
				test.StrHasSuffix(t, "' found in path '"+dir+"'", got, test.Sprint(c.args))
			} else if s := strings.Join(paths(got), " "); s != c.want {
				t.Errorf("%v: %s", c.args, s)
			}
		}
		got = list(toolstest.Dict{"start_index": 50})
		test.StrHasPrefix(t, "[WARNING] start_index 50 exceeds the 5 entries", got)
		test.StrContains(t, got, "Showing 0-5 of 5 files\n\n")
		empty := dir + "/empty"
		r.Server.Write(t, empty+"/.hidden", "")
		r.Wants(r.Said("list_files", toolstest.Dict{"path": empty}), "No files found in path '"+empty+"'")
		r.Bad("list_files", toolstest.Dict{"path": dir + "/none"}, "none")
		r.Bad("list_files", toolstest.Dict{"pattern": "[z-a]"}, "[z-a]")
		time.Sleep(listcache.For) // "empty" was made on disk, without a notification
		body, _ := r.Good("list_files", toolstest.Dict{"path": dir, "max_depth": 0}, nil).StructuredContent.(map[string]any)
		test.Eq(t, "[Path Type Size Last_Modified]", fmt.Sprint(body["columns"]))
		test.EqOp[any](t, 4.0, body["count"])
		test.EqOp[any](t, "file", body["items"].([]any)[0].(map[string]any)["Type"])
	})
}
