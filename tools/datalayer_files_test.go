package tools

import (
	"fmt"
	"strings"
	"testing"
)

// Files are listed as a table with tabs, page by page.
func TestListFiles(t *testing.T) {
	r := newRig(t)
	dir := r.server.Name(t, "-dir")
	for _, f := range []string{"b.txt", "a.csv", "sub/c.csv", "sub/deep/d.csv", "sub/deep/deeper/e.csv"} {
		r.server.Write(t, dir+"/"+f, strings.Repeat("x", 2000))
	}
	list := func(args dict) string {
		t.Helper()
		args["path"] = dir
		return r.said("list_files", args)
	}
	paths := func(text string) (out []string) {
		for _, line := range strings.Split(text, "\n")[3:] {
			p, _, _ := strings.Cut(line, "\t")
			out = append(out, strings.TrimPrefix(p, dir+"/"))
		}
		return out
	}
	got := list(dict{})
	lines := strings.Split(got, "\n")
	if lines[0] != "Showing 0-5 of 5 files" || lines[1] != "" || lines[2] != "Path\tType\tSize\tLast_Modified" {
		t.Errorf("%q", got)
	}
	if f := strings.Split(lines[3], "\t"); f[0] != dir+"/a.csv" || f[1] != "file" || f[2] != "2.0KB" || len(f[3]) != len("2026-01-02 03:04:05") {
		t.Errorf("%q", lines[3])
	}
	for _, c := range []struct {
		args dict
		want string
	}{
		{dict{}, "a.csv b.txt sub sub/c.csv sub/deep"},
		{dict{"max_depth": 0}, "a.csv b.txt sub"},
		{dict{"max_depth": 3, "limit": 0}, "a.csv b.txt sub sub/c.csv sub/deep sub/deep/d.csv sub/deep/deeper sub/deep/deeper/e.csv"},
		{dict{"start_index": 1, "limit": 2}, "b.txt sub"},
		{dict{"max_depth": 3, "pattern": "**/*.csv"}, "a.csv sub/c.csv sub/deep/d.csv sub/deep/deeper/e.csv"},
		{dict{"pattern": dir + "/*.[!ct]*"}, ""},
		{dict{"pattern": dir + "/?.[c]sv"}, "a.csv"},
		{dict{"pattern": nil, "limit": 1}, "a.csv"},
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
	if got := list(dict{"start_index": 50}); !strings.HasPrefix(got, "[WARNING] start_index 50 is beyond the 5 entries there are") || !strings.Contains(got, "Showing 0-5 of 5 files\n\n") {
		t.Errorf("%q", got)
	}
	empty := dir + "/empty"
	r.server.Write(t, empty+"/.hidden", "")
	r.wants(r.said("list_files", dict{"path": empty}), "No files found in path '"+empty+"'")
	r.bad("list_files", dict{"path": dir + "/none"}, "none")
	r.bad("list_files", dict{"pattern": "[z-a]"}, "[z-a]")
	body, _ := r.good("list_files", dict{"path": dir, "max_depth": 0}, nil).StructuredContent.(map[string]any)
	if fmt.Sprint(body["columns"]) != "[Path Type Size Last_Modified]" || body["count"] != 4.0 || body["items"].([]any)[0].(map[string]any)["Type"] != "file" {
		t.Errorf("%v", body)
	}
}
