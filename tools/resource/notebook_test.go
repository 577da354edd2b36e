package resource_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/analysis/srcbook"
	"github.com/nbduet/nbduet/tools/analysis/templates"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// notebookJSON returns a notebook file with cells, for Python.
func notebookJSON(cells ...string) string {
	return `{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"python3","display_name":"Python 3 (ipykernel)","language":"python"},"language_info":{"name":"python"}},"cells":[` +
		strings.Join(cells, ",") + `]}`
}

// Every form of a notebook that a client has opened is available, with the contract's description.
func TestNotebookResources(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notebookJSON(
			`{"id":"title","cell_type":"markdown","metadata":{},"source":"# Sales\n\nBy month."}`,
			`{"id":"load","cell_type":"code","metadata":{"tags":["data"]},"outputs":[],"execution_count":null,"source":"print('one')\n1/0"}`,
			`{"id":"r","cell_type":"raw","metadata":{},"source":"as it is"}`,
		))
		r.Refuses(r.Client, target.URICurrent, "No notebook for current session", "no notebook of this client is open")
		list := r.MustRead(target.URIList)
		test.Eq(t, "[]", list.Text)
		test.Eq(t, "application/json", list.MIMEType)
		r.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &ran)
		uri := r.URIOf(path)

		whole := r.MustRead(uri)
		test.Eq(t, "text/markdown", whole.MIMEType)
		test.StrContains(t, whole.Text, "# Sales\n\nBy month.\n\n")
		test.StrContains(t, whole.Text, "###### load.py\n\n```python\nprint('one')\n1/0\n```")
		for _, same := range []string{uri + "/srcmd", target.URICurrent, target.ExportAddress(strings.Split(uri, "/")[2], jupyter.MustPath(path))} {
			got := r.MustRead(same)
			test.Eq(t, whole.Text, got.Text, test.Sprint(same))
			test.Eq(t, whole.MIMEType, got.MIMEType, test.Sprint(same))
		}
		meta := whole.Meta
		for key, want := range map[string]any{
			"sessionId": strings.Split(uri, "/")[2], "notebookId": strings.Split(uri, "/")[3], "cellCount": 3.0,
			"totalExecutions": 1.0, "hasErrors": true, "path": path, "language": "python",
		} {
			if !reflect.DeepEqual(meta[key], want) {
				t.Errorf("%s is %v, wanted %v", key, meta[key], want)
			}
		}
		for _, key := range []string{"createdAt", "lastModified", "lastExecuted"} {
			if s, _ := meta[key].(string); !strings.HasPrefix(s, "20") {
				t.Errorf("%s is %v", key, meta[key])
			}
		}

		var cells []resource.ListedCell
		if err := json.Unmarshal([]byte(r.MustRead(uri+"/cells").Text), &cells); err != nil {
			t.Fatal(err)
		}
		must.SliceLen(t, 3, cells)
		test.Eq(t, "title", cells[0].ID)
		test.Eq(t, "print('one')\n1/0", cells[1].Source)
		test.True(t, cells[1].HasOutputs)
		test.Eq(t, "raw", cells[2].Type)
		cell := r.MustRead(uri + "/cells/load")
		test.Eq(t, "print('one')\n1/0", cell.Text)
		test.Eq(t, "text/x-python", cell.MIMEType)
		test.EqOp[any](t, "load.py", cell.Meta["filename"])
		test.EqOp[any](t, "idle", cell.Meta["status"])
		test.EqOp[any](t, true, cell.Meta["hasOutputs"])
		test.EqOp[any](t, "load", cell.Meta["cellId"])
		test.EqOp[any](t, "code", cell.Meta["cellType"])
		test.EqOp[any](t, "python", cell.Meta["language"])
		session := strings.Split(uri, "/")[2]
		for file, want := range map[string]string{"load.py": cell.Text, "title.md": "# Sales\n\nBy month.", "r.txt": "as it is"} {
			for _, at := range []string{target.ExportScheme + session + "/cells/" + file, target.ExportScheme + session + "/" + target.ExportName(jupyter.MustPath(path)) + "/cells/" + file} {
				if got := r.MustRead(at); got.Text != want {
					t.Errorf("%s: %+v", at, got)
				}
			}
		}
		if md := r.MustRead(uri + "/cells/title"); md.MIMEType != "text/markdown" {
			t.Errorf("%+v", md)
		}

		var outputs []map[string]any
		if err := json.Unmarshal([]byte(r.MustRead(uri+"/cells/load/outputs").Text), &outputs); err != nil {
			t.Fatal(err)
		}
		must.SliceLen(t, 2, outputs)
		test.EqOp[any](t, "one\n", outputs[0]["text"])
		test.EqOp[any](t, "ZeroDivisionError", outputs[1]["ename"])
		test.StrNotContains(t, fmt.Sprint(outputs), "\x1b")
		var nb struct {
			NBFormat int `json:"nbformat"`
			Cells    []struct{ ID, Source string }
		}
		err := json.Unmarshal([]byte(r.MustRead(uri+"/json").Text), &nb)
		must.NoError(t, err)
		test.Eq(t, 4, nb.NBFormat)
		test.SliceLen(t, 3, nb.Cells)
		var run resource.Execution
		err = json.Unmarshal([]byte(r.MustRead(uri+"/executions/"+ran.Results[0].RunID).Text), &run)
		must.NoError(t, err)
		test.Eq(t, "failed", run.State)
		test.Eq(t, "load", run.CellID)
		test.SliceLen(t, 2, run.Outputs)

		listed := r.Listed(r.Client)
		for _, want := range []string{target.URIList, target.URICurrent, uri, uri + "/cells", target.URITemplates + "tree_of_thought"} {
			if listed[want].Name == "" {
				t.Errorf("%s is not listed: %v", want, listed)
			}
		}
		if d := listed[target.URIList].Description; d != "1 active notebook" {
			t.Errorf("the list is described as %q", d)
		}
	})
}

// A client can read only its own, existing resources: all others are refused with the contract's messages.
func TestNotebookResourcesRefused(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1")
		r.Read(path)
		uri := r.URIOf(path)
		session, id := strings.Split(uri, "/")[2], strings.Split(uri, "/")[3]
		other := r.Connect(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames()})
		defer other.Close()
		for _, c := range []*client.Client{other} {
			r.Refuses(c, uri, "Notebook not found", "another session")
			r.Refuses(c, uri+"/cells", "Notebook not found", "")
			r.Refuses(c, target.URICurrent, "No notebook for current session", "")
		}
		for _, at := range []string{
			target.NotebookScheme, "notebook://x", "notebook://x/", "notebook:///" + id, target.NotebookAddress(session, "no-such"), target.NotebookAddress("no-such", id),
			"notebook://LIST", target.NotebookAddress("no-such", id, "bogus"), target.ExportScheme + "no-such/notebook.src.md", target.ExportScheme + session + "/no-such.src.md",
		} {
			r.Refuses(r.Client, at, "Notebook not found", "")
		}
		r.Refuses(r.Client, uri+"/bogus", "Unknown format: bogus", "executions/{run-id}")
		r.Refuses(r.Client, uri+"/cells/a/b/c", "Unknown format: cells/a/b/c", "")
		r.Refuses(r.Client, uri+"/cells/no-such", "Cell not found", "no-such")
		r.Refuses(r.Client, uri+"/cells/no-such/outputs", "Cell not found", "")
		r.Refuses(r.Client, uri+"/executions/run-999999", "Execution not found", "")
		r.Refuses(r.Client, target.ExportScheme+session+"/cells/no-such.py", "Cell not found", "")
		r.Refuses(r.Client, target.URITemplates+"no-such", "Template not found", "tree_of_thought")
		for _, at := range []string{uri + "?x=1", uri + "/%zz", "notebook://%zz/x", "file:///etc/passwd", "http://example.org/", "nonsense", target.ExportScheme + "x"} {
			r.Refuses(r.Client, at, "Unknown resource: "+at, "")
		}

		// After closing, it is no longer available.
		if _, _, err := r.Work.End(t.Context(), jupyter.MustPath(path)); err != nil {
			t.Fatal(err)
		}
		r.Refuses(r.Client, uri, "Notebook not found", "when idle")
		if _, there := r.Listed(r.Client)[uri]; there {
			t.Error("a closed notebook is listed")
		}
		r.Read(path)
		if r.URIOf(path) != uri {
			t.Error("the notebook has another address when it is opened again")
		}
	})
}

// Reading does not run code or change anything.
func TestNotebookResourcesAreReadOnly(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "open('executed.txt', 'w')", "2")
		defer r.Unchanged(path)()
		uri := r.URIOf(path)
		for _, form := range []string{"", "/srcmd", "/json", "/cells", "/cells/" + r.Read(path).Cells[0].ID} {
			r.MustRead(uri + form)
		}
		k, running, err := r.Work.Kernel(t.Context(), jupyter.MustPath(path))
		test.False(t, running, test.Sprint("a kernel runs", k))
		test.NoError(t, err, test.Sprint("a kernel runs", k))
	})
}

// An analysis session's notebook is available at the session's own address.
func TestNotebookResourcesOfSessions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1")
		var made analysis.SessionInfo
		r.Good("session_create", toolstest.Dict{"notebook_path": path}, &made)
		uri := r.URIOf(path)
		if strings.Split(uri, "/")[2] != made.ID {
			t.Errorf("session %s: %s", made.ID, uri)
		}
		whole := r.MustRead(uri)
		if got := r.MustRead(target.URICurrent); got.Text != whole.Text {
			t.Error("the session's notebook is not the current one")
		}
		if got := r.MustRead(target.ExportScheme + made.ID + "/notebook.src.md"); got.Text != whole.Text {
			t.Error("the session's only notebook cannot be read as notebook.src.md")
		}
		var code analysis.CodeResult
		r.Good("execute_code", toolstest.Dict{"session_id": made.ID, "code": "40 + 2"}, &code)
		if cells := r.MustRead(uri + "/cells").Text; !strings.Contains(cells, "40 + 2") {
			t.Errorf("the new cell is missing: %s", cells)
		}
		r.Good("session_delete", toolstest.Dict{"session_id": made.ID}, nil)
		r.Refuses(r.Client, uri, "Notebook not found", "")
	})
}

// No part of an output runs in a host that shows it.
func TestNotebookOutputsAreHarmless(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notebookJSON(fmt.Sprintf(
			`{"id":"a","cell_type":"code","metadata":{},"execution_count":1,"source":"1","outputs":[
		{"output_type":"display_data","metadata":{},"data":{"text/html":"<b onclick=alert(1)>Total</b><script>alert(2)</script><table><tr><td>1</td><td>2</td></tr></table>"}},
		{"output_type":"display_data","metadata":{},"data":{"text/html":"<script>alert(3)</script>","text/plain":"plain"}},
		{"output_type":"display_data","metadata":{},"data":{"application/javascript":"alert(4)","application/x-evil":"alert(5)"}},
		{"output_type":"display_data","metadata":{},"data":{"text/markdown":"**x** <img src=x onerror=alert(6)> [a](javascript:alert(7)) [b](JaVa\tScript:alert(7)) a<b"}},
		{"output_type":"display_data","metadata":{},"data":{"image/png":%q,"text/plain":"<Figure>"}},
		{"output_type":"display_data","metadata":{},"data":{"image/svg+xml":"<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'><script>alert(8)</script></svg>"}},
		{"output_type":"stream","name":"stdout","text":"\u001b[31mred\u001b[0m\u0007\u0000 bell"},
		{"output_type":"error","ename":"E","evalue":"\u001b[1mv","traceback":["\u001b[31mt\u001b[0m"]}]}`, toolstest.Dot)))
		r.Good("get_nb_stat", toolstest.Dict{"path": path}, nil)
		uri := r.URIOf(path)
		for _, form := range []string{"/cells/a/outputs", "/json"} {
			text := r.MustRead(uri + form).Text
			for _, bad := range []string{"<script", "<img", "javascript:", "onclick", "\\u001b", "\\u0000", "\\u0007", "<svg", toolstest.Dot} {
				if strings.Contains(strings.ToLower(text), bad) {
					t.Errorf("%s holds %s: %s", form, bad, text)
				}
			}
			for _, good := range []string{"Total", `1\t2`, "plain", "**x**", "a&lt;b", "jupyter://sessions/", "red bell", `"evalue": "v"`, "application/x-evil, 8 characters, left out"} {
				if !strings.Contains(text, good) {
					t.Errorf("%s does not hold %s: %s", form, good, text)
				}
			}
		}
	})
}

// A resource that is too large is cut at a line, or loses whole parts, and says so.
func TestNotebookResourcesAreBounded(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		long := strings.Repeat("# a line of some length, \"quoted\"\\n", 30_000)
		cells := []string{fmt.Sprintf(`{"id":"long","cell_type":"code","metadata":{},"execution_count":1,"source":"%s","outputs":[{"output_type":"stream","name":"stdout","text":"%s"}]}`,
			strings.ReplaceAll(long, `"quoted"`, `\"quoted\"`), strings.ReplaceAll(long, `"quoted"`, `\"quoted\"`))}
		for i := range 1 {
			cells = append(cells, fmt.Sprintf(`{"id":"c%d","cell_type":"code","metadata":{},"execution_count":1,"source":"1","outputs":[{"output_type":"stream","name":"stdout","text":"%s"}]}`,
				i, strings.ReplaceAll(long[:700_000], `"quoted"`, `\"quoted\"`)))
		}
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notebookJSON(cells...))
		r.Good("get_nb_stat", toolstest.Dict{"path": path}, nil)
		uri := r.URIOf(path)
		for _, form := range []string{"", "/json", "/cells", "/cells/long", "/cells/long/outputs", "/cells/c0/outputs"} {
			got := r.MustRead(uri + form)
			b, err := json.Marshal(got)
			must.NoError(t, err, must.Sprint(form))
			test.LessEq(t, tool.MaxAnswerBytes, len(b), test.Sprint(form))
			if got.Meta["truncated"] != true {
				t.Errorf("%s does not say that it was cut: %v", form, got.Meta)
			}
			if got.MIMEType == resource.MIMEJSON && !json.Valid([]byte(got.Text)) {
				t.Errorf("%s is no JSON", form)
			}
			if got.MIMEType != resource.MIMEJSON {
				_, end, ok := strings.Cut(got.Text, "\n[cut at the end of a line: ")
				must.True(t, ok, must.Sprint(form))
				test.StrContains(t, end, "bytes are left out", test.Sprint(form))
			}
		}
	})
}

// Lists have pages, and a malformed cursor is refused.
func TestResourcePages(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		folder := r.Server.Name(t, "")
		for i := range 34 {
			path := r.Server.Write(t, fmt.Sprintf("%s/%02d.ipynb", folder, i), notebookJSON())
			r.Good("get_nb_stat", toolstest.Dict{"path": path}, nil)
		}
		seen := map[string]bool{}
		var req mcp.ListResourcesRequest
		for pages := 1; ; pages++ {
			page, err := r.Client.ListResourcesByPage(t.Context(), req)
			must.NoError(t, err)
			must.LessEq(t, resource.Listed, len(page.Resources))
			must.LessEq(t, 3, pages)
			for _, one := range page.Resources {
				if seen[one.URI] {
					t.Errorf("%s is listed twice", one.URI)
				}
				seen[one.URI] = true
			}
			if page.NextCursor == "" {
				break
			}
			req.Params.Cursor = page.NextCursor
		}
		if want := 2 + 3 + 1 + 3*34 + len(templates.All()); len(seen) != want { // 3 of the context, 1 of the mentions
			t.Errorf("%d resources, wanted %d", len(seen), want)
		}
		for _, bad := range []mcp.Cursor{"nonsense", "bm9uc2Vuc2U="} {
			req.Params.Cursor = bad
			if _, err := r.Client.ListResourcesByPage(t.Context(), req); !errors.Is(err, mcp.ErrInvalidParams) {
				t.Errorf("cursor %s: %v", bad, err)
			}
		}
	})
}

// Every variable of every template has completions, limited to the client's own resources.
func TestResourceCompletions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notebookJSON(fmt.Sprintf(
			`{"id":"pic","cell_type":"code","metadata":{},"execution_count":1,"source":"1","outputs":[{"output_type":"display_data","metadata":{},"data":{"image/png":%q}}]}`, toolstest.Dot)))
		r.Read(path)
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &ran)
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "from IPython.display import Image, display\nimport base64\ndisplay(Image(data=base64.b64decode('" + toolstest.Dot + "')))"}}}, nil)
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, nil)
		var made analysis.SessionInfo
		r.Good("session_create", nil, &made)
		uri := r.URIOf(path)
		session, id := strings.Split(uri, "/")[2], strings.Split(uri, "/")[3]

		complete := func(c *client.Client, template, name, value string, given map[string]string) []string {
			t.Helper()
			var req mcp.CompleteRequest
			req.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: template}
			req.Params.Argument.Name, req.Params.Argument.Value = name, value
			req.Params.Context.Arguments = given
			res, err := c.Complete(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			return res.Completion.Values
		}
		for _, one := range []struct {
			template, name, value string
			given                 map[string]string
			want                  string
		}{
			{resource.TemplateNotebook, "session_id", "", nil, session},
			{resource.TemplateNotebook, "notebook_id", id[:3], map[string]string{"session_id": session}, id},
			{resource.TemplateNotebook + "/cells/{cell_id}", "cell_id", "p", map[string]string{"session_id": session, "notebook_id": id}, "pic"},
			{resource.TemplateNotebook + "/executions/{run_id}", "run_id", "", map[string]string{"notebook_id": id}, ran.Results[0].RunID},
			{resource.TemplatePattern, "pattern", "tree", nil, "tree_of_thought"},
			{resource.TemplateExport, "file", "", map[string]string{"session_id": session}, target.ExportName(jupyter.MustPath(path))},
			{resource.TemplateFile, "ext", "", map[string]string{"cell_id": "pic"}, "py"},
			{"jupyter://sessions/{session_id}/images/{image_id}.{ext}", "session_id", session[:2], nil, session},
			{"jupyter://sessions/{session_id}/images/{image_id}.{ext}", "ext", "", nil, "png"},
		} {
			if got := complete(r.Client, one.template, one.name, one.value, one.given); !slices.Contains(got, one.want) {
				t.Errorf("%s in %s: %v, wanted %s", one.name, one.template, got, one.want)
			}
		}
		images := complete(r.Client, "jupyter://sessions/{session_id}/images/{image_id}.{ext}", "image_id", "", map[string]string{"session_id": session})
		if len(images) == 0 {
			t.Error("no image is completed")
		}
		if got := complete(r.Client, resource.TemplateNotebook, "notebook_id", "", map[string]string{"session_id": "another"}); len(got) != 0 {
			t.Errorf("for another session: %v", got)
		}
		other := r.Connect(tools.Config{Work: r.Work, Version: "test"})
		defer other.Close()
		for _, name := range []string{"session_id", "notebook_id", "cell_id", "run_id"} {
			if got := complete(other, resource.TemplateNotebook+"/cells/{cell_id}", name, "", nil); len(got) != 0 {
				t.Errorf("another client completes %s: %v", name, got)
			}
		}
		templates, err := r.Client.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tpl := range templates.ResourceTemplates {
			test.NotEq(t, resource.AnyNotebook, tpl.Name)
			test.NotEq(t, resource.AnyExport, tpl.Name)
		}
	})
}

// An exported notebook is imported again with the same cells.
func TestNotebookImport(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		cells := []string{
			`{"id":"a","cell_type":"code","metadata":{"tags":["x"]},"outputs":[],"execution_count":null,"source":"s = '''\n` + "```" + `python\n###### not-a-cell.py\n'''"}`,
			`{"id":"b","cell_type":"markdown","metadata":{},"source":"###### not.py\n\n` + "```" + `python\n1\n` + "```" + `"}`,
			`{"id":"empty","cell_type":"markdown","metadata":{},"source":""}`,
			`{"id":"c","cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":""}`,
			`{"id":"d","cell_type":"raw","metadata":{},"source":"größer ≠ 𝒳\n\n"}`,
			`{"id":"e","cell_type":"markdown","metadata":{},"source":"\n\n<!-- cell:{} -->\n"}`,
		}
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notebookJSON(cells...))
		before := r.Read(path)
		text := r.MustRead(r.URIOf(path) + "/srcmd").Text
		file := r.Server.Write(t, r.Server.Name(t, ".src.md"), text)
		for _, args := range []toolstest.Dict{{"content": text}, {"source_path": file}} {
			args["path"] = r.Server.Name(t, ".ipynb")
			var made analysis.ImportResult
			r.Good("notebook_import", args, &made)
			after := r.Read(made.Path)
			must.SliceLen(t, len(before.Cells), after.Cells)
			must.Eq(t, len(before.Cells), made.CellCount)
			for i, c := range after.Cells {
				was := before.Cells[i]
				test.Eq(t, was.ID, c.ID)
				test.Eq(t, was.CellType, c.CellType)
				test.Eq(t, was.Source, c.Source)
				test.Eq(t, was.Metadata["tags"], c.Metadata["tags"])
			}
			again := r.MustRead(made.URI)
			if _, body, _ := strings.Cut(again.Text, "\n\n"); !strings.Contains(text, body[strings.Index(body, "\n\n"):]) {
				t.Errorf("exported again it is\n%s\nwanted\n%s", again.Text, text)
			}
			r.Bad("notebook_import", args, "already exists")
		}
		r.Bad("notebook_import", toolstest.Dict{"path": "x.ipynb"}, "either content or source_path")
		r.Bad("notebook_import", toolstest.Dict{"path": "x.ipynb", "content": "a", "source_path": "b"}, "either content or source_path")
		r.Bad("notebook_import", toolstest.Dict{"path": "x.txt", "content": text}, ".ipynb")
		r.Bad("notebook_import", toolstest.Dict{"path": "x.ipynb", "content": "# no"}, "line 1", "srcbook", "nothing was created")
		r.Bad("notebook_import", toolstest.Dict{"path": "x.ipynb", "source_path": "no-such.src.md"}, "no-such.src.md")
	})
}

// Every template becomes a real notebook, remembers its pattern, and all its cells run.
func TestNotebookTemplates(t *testing.T) {
	jupytertest.NeedsReal(t, "pandas and matplotlib, which templates use")
	r := toolstest.New(t)
	for _, p := range templates.All() {
		t.Run(p.Name, func(t *testing.T) {
			got := r.MustRead(target.URITemplates + p.Name)
			test.Eq(t, resource.MIMEMarkdown, got.MIMEType)
			test.EqOp[any](t, p.Name, got.Meta["pattern"])
			var made analysis.TemplateResult
			r.Good("notebook_from_template", toolstest.Dict{"pattern": p.Name, "path": r.Server.Name(t, ".ipynb"), "title": "My own"}, &made)
			whole := r.MustRead(made.URI)
			nb, err := srcbook.Decode(whole.Text)
			must.NoError(t, err)
			test.EqOp[any](t, p.Name, whole.Meta["pattern"])
			test.StrHasPrefix(t, "# My own\n", nb.Cells[0].Source)
			if !strings.Contains(r.MustRead(target.URIList).Text, `"pattern": "`+p.Name+`"`) {
				t.Error("the list does not show the pattern")
			}
			var ran notebook.ExecuteResult
			r.Good("execute_nb_cells", toolstest.Dict{"path": made.Path, "ranges": []toolstest.Dict{{"start": 0, "end": len(nb.Cells)}}, "timeout": 120}, &ran)
			for _, one := range ran.Results {
				if one.State != "done" {
					t.Errorf("%+v", one)
				}
			}
			codes := 0
			for _, c := range nb.Cells {
				if c.Type == "code" {
					codes++
				}
			}
			if len(ran.Results) < codes {
				t.Errorf("%d of %d cells ran", len(ran.Results), codes)
			}
			r.EndKernel(made.Path)
		})
	}
	r.Bad("notebook_from_template", toolstest.Dict{"pattern": "no-such", "path": "x.ipynb"}, "pattern")
}
