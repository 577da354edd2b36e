package pair_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// reads are the calls that show any of a notebook's cells.
func reads(notebook, session, first, foreign string) map[string][]toolstest.Dict {
	path := toolstest.Dict{"path": notebook}
	in := toolstest.Dict{"session_id": session}
	return map[string][]toolstest.Dict{
		"get_nb_stat":          {path},
		"read_nb_cells":        {path, {"path": notebook, "ranges": []toolstest.Dict{{"id": first}}}},
		"search":               {{"path": notebook, "query": "="}},
		"get_document_content": {path},
		"get_document_info":    {{"path": notebook, "include_content": true}},
		"notebook_get":         {in},
		"file_read":            {toolstest.With(in, "path", notebook)},
		"use_notebook":         {{"notebook_name": "nb", "notebook_path": notebook}},
		"read_notebook":        {{"notebook_name": "nb"}, {"notebook_name": "nb", "response_format": "detailed", "limit": 1}},
		"read_cell":            {{"cell_index": 0}},
		"list_cells":           {nil},
		"read_cells":           {nil},
		"changes_since":        {toolstest.With(path, "revision", foreign)},
		"wait_for_change":      {toolstest.With(path, "since", foreign)},
	}
}

// cellless are the tools that read, but show no cells of notebooks: they show people, runs, kernels, files and data.
var cellless = []string{
	"answer_input", "call_tool", "connect_to_jupyter", "file_get", "file_list", "find_tools", "get_base_url", "get_dataframe_info", "get_image_resource",
	"get_run", "get_variable", "get_variables", "inspect_data", "list_agent_edits", "list_available_kernels", "list_documents", "list_files",
	"list_kernels", "list_mentions", "list_nbs", "list_notebook", "list_notebooks", "list_runs", "look_around", "nb_path_from_url", "preview_data",
	"query_document_session", "query_nb_sessions", "session_connect", "session_list", "wait_run", "watch_runs",
}

// Every answer with cells of a notebook has a revision from which exactly the later changes are listed.
func TestReadsAnswerTheRevision(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1", "b = 0")
		read := d.Read(d.path)
		cells := read.Cells
		session := d.Create(toolstest.Dict{"notebook_path": d.path}).ID
		ada := d.person("Ada")
		edit := 0
		types := func() {
			edit++
			d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(cells[1].ID, fmt.Sprint("b = ", edit)) })
		}
		holds := func(what, revision string) {
			t.Helper()
			types()
			got := d.since(revision, true)
			want := fmt.Sprintf("-b = %d\n+b = %d", edit-1, edit)
			must.SliceLen(t, 1, got.Changes, must.Sprint(what, revision))
			test.Eq(t, want, got.Changes[0].Diff, test.Sprint(what, revision))
			test.Eq(t, "Ada", got.Changes[0].By, test.Sprint(what, revision))
		}
		reads := reads(d.path, session, cells[0].ID, toolstest.ForeignRevision(read.Revision))
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(reads))) {
			for i, args := range reads[name] {
				types() // earlier changes must not be listed again
				body, _ := d.Good(name, args, nil).StructuredContent.(map[string]any)
				revision, _ := body["revision"].(string)
				holds(fmt.Sprint(name, " ", i), revision)
			}
		}
		words := regexp.MustCompile(`\brevision\W+([0-9a-z]+)\b`)
		for _, name := range []string{"read_nb_cells", "get_nb_stat", "get_document_content"} {
			for i, args := range reads[name] {
				types()
				if m := words.FindStringSubmatch(d.says(name, args)); m == nil {
					t.Errorf("%s %d does not say the revision", name, i)
				} else {
					holds(name+" in words", m[1])
				}
			}
		}
		uri := d.URIOf(d.path)
		for _, form := range []string{"", "/srcmd", "/json", "/cells", "/cells/" + cells[0].ID, "/cells/" + cells[0].ID + "/outputs"} {
			types()
			revision, _ := d.MustRead(uri + form).Meta["revision"].(string)
			holds(uri+form, revision)
		}
	})
}

// The tables cover every tool that reads.
func TestReadsAreKnown(t *testing.T) {
	shown := map[string]bool{"wait_for_mention": true} // see TestWaitForMention
	for _, name := range cellless {
		shown[name] = false
	}
	for name := range reads("", "", "", "") {
		shown[name] = true
	}
	for _, tool := range tools.Definitions() {
		if _, known := shown[tool.Name]; tool.Hints.ReadOnly && !known {
			t.Errorf("does %s show cells of a notebook? If so, it answers with the revision", tool.Name)
		}
	}
}
