package clients_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// inspect runs the MCP Inspector's command line on the program and decodes its output. It fails if an answer does not
// match the tool's own output schema.
func inspect(t *testing.T, result any, args ...string) {
	t.Helper()
	program := kit.Binary(t)
	server := []string{program, "--jupyter-url=" + kit.Jupyter(t).URL, "--token=" + kit.Jupyter(t).Token, "--toolsets=all", "--output-schemas=full", "--log-level=error"}
	inspectServer(t, result, server, args...)
}

// inspectServer is inspect for a server given by its command, or by its address and headers.
func inspectServer(t *testing.T, result any, server []string, args ...string) {
	t.Helper()
	root, err := lab.RepoRoot()
	must.NoError(t, err)
	cli := filepath.Join(root, "e2e", "inspector", "node_modules", "@modelcontextprotocol", "inspector-cli", "build", "index.js")
	if _, err := os.Stat(cli); err != nil {
		t.Fatalf("no MCP Inspector: run `make node` (%v)", err)
	}
	all := slices.Concat([]string{cli}, server, args)
	cmd := exec.CommandContext(t.Context(), "node", all...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the Inspector with %q: %v\n%s%s", args, err, stderr.Bytes(), stdout.Bytes())
	}
	if s := strings.TrimSpace(stderr.String()); s != "" {
		t.Errorf("the Inspector with %q complains: %s", args, s)
	}
	if err := json.Unmarshal(stdout.Bytes(), result); err != nil {
		t.Fatalf("the Inspector with %q prints %s: %v", args, stdout.Bytes(), err)
	}
}

// inspected has a valid call of each tool; NB and TEXT are a notebook and a text file that only this call uses.
var inspected = map[string][]string{
	"get_base_url":           {},
	"nb_path_from_url":       {"url=URL/lab/tree/work/a%20b.ipynb"},
	"list_nbs":               {},
	"get_nb_stat":            {"path=NB"},
	"read_nb_cells":          {"path=NB", `ranges=[{"start":0}]`},
	"modify_nb_cells":        {"path=NB", `modifications=[{"range":{"start":0},"content":"1+2"}]`},
	"insert_nb_cells":        {"path=NB", "position=0", `cells=[{"content":"print(3)"}]`},
	"delete_nb_cells":        {"path=NB", `ranges=[{"id":"cell-0"}]`, "force=true"},
	"execute_nb_cells":       {"path=NB", `ranges=[{"start":0}]`},
	"restart_nb_kernel":      {"path=NB"},
	"edit_text":              {"path=NB", "old_text=1+1", "new_text=1+2"},
	"run_code":               {"path=NB", "code=1+1"},
	"search":                 {"path=NB", "query=1+1"},
	"move_nb_cells":          {"path=NB", `ranges=[{"id":"cell-0"}]`, "after_id=cell-0"},
	"watch_runs":             {},
	"inspect_data":           {"path=NB"},
	"list_available_kernels": {},
	"assign_nb_kernel":       {"path=NB", "kernel_name=python3"},
	"get_run":                {"run_id=no-such-run"},
	"wait_run":               {"run_id=no-such-run"},
	"answer_input":           {"run_id=no-such-run", "text=x"},
	"list_runs":              {},
	"cancel_run":             {"run_id=no-such-run"},
	"get_document_content":   {"path=TEXT"},
	"insert_document_text":   {"path=TEXT", "position=0", "text=more "},
	"delete_document_text":   {"path=TEXT", "position=0", "length=2"},
	"replace_document_text":  {"path=TEXT", "position=0", "length=2", "text=other"},
	"list_documents":         {},
	"create_document":        {"path=NEW", "type=markdown", "content=# New"},
	"get_document_info":      {"path=TEXT", "include_content=true"},
	"delete_document":        {"path=TEXT"},
	"rename_document":        {"path=TEXT", "newPath=NEW"},
	"copy_document":          {"path=TEXT", "copyPath=NEW"},
	"overwrite_document":     {"path=TEXT", "content=all of it", "force=true"},
	"query_nb_sessions":      {},
	"end_nb_session":         {"path=NB"},
	"query_document_session": {"path=TEXT"},
	"end_document_session":   {"path=TEXT"},
	"session_create":         {"name=inspected"},
	"session_list":           {},
	"session_connect":        {"notebook_path=NB"},
	"session_delete":         {"session_id=none"},
	"execute_code":           {"session_id=none", "code=1+1"},
	"execute_cell":           {"session_id=none", "cell_index=0"},
	"notebook_create":        {"session_id=none", "name=new", `cells=[{"cell_type":"code","source":"1"}]`},
	"notebook_add_cell":      {"session_id=none", "notebook_name=NB", "cell_type=code", "source=1", "position=0"},
	"notebook_edit_cell":     {"session_id=none", "notebook_name=NB", "cell_index=0", "source=2"},
	"notebook_delete_cell":   {"session_id=none", "notebook_name=NB", "cell_index=0"},
	"notebook_move_cell":     {"session_id=none", "notebook_name=NB", "cell_index=0", "position=0"},
	"notebook_get":           {"session_id=none", "notebook_name=NB"},
	"notebook_import":        {"path=NEWNB", `content=<!-- srcbook:{"language":"python"} -->`},
	"notebook_from_template": {"path=NEWNB", "pattern=mcts"},
	"file_list":              {"session_id=none"},
	"file_read":              {"session_id=none", "path=TEXT"},
	"file_get":               {"session_id=none", "path=TEXT", "include_data=true"},
	"interrupt_execution":    {"session_id=none"},
	"get_variables":          {"session_id=none"},
	"get_variable":           {"session_id=none", "variable_name=x"},
	"get_dataframe_info":     {"session_id=none", "variable_name=df"},
	"preview_data":           {"path=TEXT", "format=csv", "rows=1"},
	"record_context":         {`topics=["inspected"]`},
	"get_image_resource":     {"uri=jupyter://sessions/none/images/none.png"},

	"look_around":      {"path=NB"},
	"changes_since":    {"path=NB", "revision=-x"},
	"wait_for_change":  {"path=NB", "since=-x", "timeout=0"},
	"list_agent_edits": {"path=NB"},
	"undo_agent":       {"path=NB"},
	"redo_agent":       {"path=NB"},
	"restore_notebook": {"path=NB", "revision=before"},
	"wait_for_mention": {"path=NB", "timeout=0"},
	"list_mentions":    {},
	"reply":            {"mention=m-none", "text=x"},

	"connect_to_jupyter":       {"jupyter_url=URL"},
	"list_notebooks":           {},
	"use_notebook":             {"notebook_name=nb", "notebook_path=NB"},
	"unuse_notebook":           {"notebook_name=none"},
	"restart_notebook":         {"notebook_name=NB"},
	"read_notebook":            {"notebook_name=NB"},
	"read_cell":                {"notebook_name=NB", "cell_index=0"},
	"insert_cell":              {"notebook_name=NB", "cell_index=0", "cell_type=code", "cell_source=a"},
	"insert_execute_code_cell": {"cell_index=0", "cell_source=a"},
	"overwrite_cell_source":    {"notebook_name=NB", "cell_index=0", "cell_source=b"},
	"edit_cell_source":         {"notebook_name=NB", "cell_id=cell-0", "old_string=1+1", "new_string=b"},
	"move_cell":                {"notebook_name=NB", "source_cell_id=cell-0", "target_cell_id=cell-0"},
	"delete_cell":              {"notebook_name=NB", `cell_ids_to_delete=["cell-0"]`, "force=true"},
	"clear_cell_output":        {"notebook_name=NB", "cell_id=cell-0"},
	"list_files":               {"max_depth=0"},
	"list_kernels":             {},

	"list_notebook":               {},
	"list_cells":                  {},
	"read_cells":                  {},
	"execute_cell_simple_timeout": {"cell_index=0"},
	"execute_cell_streaming":      {"cell_index=0"},
	"execute_cell_with_progress":  {"cell_index=0"},
	"execute_ipython":             {"code=a"},
}

// refused are the calls among them that must fail, because each call of the command line starts a program without
// sessions and without knowledge of earlier reads.
var refused = []string{
	"modify_nb_cells", "overwrite_cell_source", "delete_document_text", "replace_document_text",
	"get_run", "wait_run", "answer_input", "cancel_run", "get_image_resource",
	"session_connect", "session_delete", "execute_code", "execute_cell", "interrupt_execution",
	"get_variables", "get_variable", "get_dataframe_info", "inspect_data",
	"notebook_create", "notebook_add_cell", "notebook_edit_cell", "notebook_delete_cell", "notebook_move_cell", "notebook_get",
	"file_list", "file_read", "file_get",
	"reply", "restore_notebook",
	"unuse_notebook", "insert_execute_code_cell", "list_cells", "read_cells",
	"execute_cell_simple_timeout", "execute_cell_streaming", "execute_cell_with_progress", "execute_ipython",
}

// The MCP Inspector lists every tool and calls each without a schema error.
func TestAC6Inspector(t *testing.T) {
	var listed struct{ Tools []struct{ Name string } }
	inspect(t, &listed, "--method", "tools/list")
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	for name := range inspected {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not listed", name)
		}
	}
	// Each runs two processes that mostly start up; more at once than cores would only wait.
	places := make(chan struct{}, 2)
	for _, name := range names {
		args, ok := inspected[name]
		if !ok {
			t.Errorf("%s is not called by this test", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places <- struct{}{}
			defer func() { <-places }()
			inspectCall(t, name, args)
		})
	}
}

func inspectCall(t *testing.T, name string, args []string) {
	t.Helper()
	checkInspected(t, name, args, func(result any, call ...string) { inspect(t, result, call...) })
}

// checkInspected makes a call with the Inspector and checks its answer.
func checkInspected(t *testing.T, name string, args []string, inspect func(result any, args ...string)) {
	t.Helper()
	notebook := kit.NewNotebook(t, kit.Code("1+1"))
	text, fresh := strings.TrimSuffix(notebook, ".ipynb")+".md", strings.TrimSuffix(notebook, ".ipynb")+"-new.md"
	must.NoError(t, os.WriteFile(kit.Jupyter(t).Path(text), []byte("# Title\n"), 0o600))
	call := []string{"--method", "tools/call", "--tool-name", name}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch value {
		case "NB":
			value = notebook
		case "TEXT":
			value = text
		case "NEW":
			value = fresh
		case "NEWNB":
			value = strings.TrimSuffix(notebook, ".ipynb") + "-new.ipynb"
		}
		call = append(call, "--tool-arg", key+"="+strings.Replace(value, "URL", strings.TrimSuffix(kit.Jupyter(t).URL, "/"), 1))
	}
	var result struct {
		Content    []struct{ Type, Text string }
		Structured map[string]any `json:"structuredContent"`
		IsError    bool           `json:"isError"`
	}
	inspect(&result, call...)
	if result.IsError != slices.Contains(refused, name) {
		t.Errorf("isError is %v: %+v", result.IsError, result.Content)
	}
	must.SliceNotEmpty(t, result.Content)
	test.False(t, !result.IsError && result.Structured == nil)
}
