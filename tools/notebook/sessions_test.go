package notebook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestNbSessions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		dir := r.Server.Name(t, "")
		const empty = `{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}`
		a, b := r.Server.Write(t, dir+"/a.ipynb", empty), r.Server.Write(t, dir+"/sub/b.ipynb", empty)
		outside := r.Server.Notebook(t, "1")
		var got notebook.QuerySessionsResult
		query := func(root string) notebook.QuerySessionsResult {
			t.Helper()
			got = notebook.QuerySessionsResult{}
			r.Good("query_nb_sessions", toolstest.Dict{"root_path": root}, &got)
			return got
		}
		query(dir)
		test.Eq(t, 0, got.Total, test.Sprint("before any use"))
		test.Eq(t, 0, got.Active, test.Sprint("before any use"))
		must.SliceEmpty(t, got.Sessions, must.Sprint("before any use"))
		test.Eq(t, dir, got.RootPath, test.Sprint("before any use"))
		for _, path := range []string{a, b, outside} {
			r.Read(path)
		}
		query("/" + dir)
		must.Eq(t, 2, got.Total, must.Sprint("after use"))
		must.Eq(t, 2, got.Active, must.Sprint("after use"))
		must.SliceLen(t, 2, got.Sessions, must.Sprint("after use"))
		must.Eq(t, dir, got.RootPath, must.Sprint("after use"))
		s := got.Sessions[0]
		test.Eq(t, a, s.Path)
		test.Eq(t, "connected", s.Status)
		test.NotEq(t, "", s.SessionID)
		test.NotEq(t, "", s.FileID)
		test.Eq(t, 1, s.CellCount)
		test.Eq(t, "RTC session is active", s.Message)
		test.NotNil(t, s.ExpiresIn)
		if _, err := time.Parse(time.RFC3339, s.LastActivity); err != nil {
			t.Error(err)
		}
		r.Good("query_nb_sessions", nil, &got)
		test.Eq(t, 3, got.Total, test.Sprint("everywhere"))
		test.Eq(t, "", got.RootPath, test.Sprint("everywhere"))

		var ended document.EndSessionResult
		r.Good("end_nb_session", toolstest.Dict{"path": "/" + a}, &ended)
		if ended != (document.EndSessionResult{Path: a, Status: "disconnected", Message: "RTC session ended successfully"}) {
			t.Errorf("end = %+v", ended)
		}
		query(dir)
		test.Eq(t, 2, got.Total, test.Sprint("after the end"))
		test.Eq(t, 1, got.Active, test.Sprint("after the end"))
		test.Eq(t, "disconnected", got.Sessions[0].Status, test.Sprint("after the end"))
		test.StrHasPrefix(t, "RTC session ended", got.Sessions[0].Message, test.Sprint("after the end"))
		r.Good("end_nb_session", toolstest.Dict{"path": a}, &ended)
		test.Eq(t, "disconnected", ended.Status, test.Sprint("ended again"))
		test.NotEq(t, "RTC session ended successfully", ended.Message, test.Sprint("ended again"))
		r.Good("end_nb_session", toolstest.Dict{"path": dir + "/never.ipynb"}, &ended)
		test.Eq(t, "not_found", ended.Status, test.Sprint("never opened"))
		test.Eq(t, dir+"/never.ipynb", ended.Path, test.Sprint("never opened"))
		test.NotEq(t, "", ended.Message, test.Sprint("never opened"))
		// The next use opens it again.
		r.Read(a)
		if query(dir); got.Active != 2 {
			t.Errorf("used again: %+v", got)
		}
		r.Bad("end_nb_session", toolstest.Dict{"path": "../x.ipynb"}, `".."`)
		r.Bad("end_nb_session", toolstest.Dict{"path": ""}, "path has 0 characters")
		r.Bad("query_nb_sessions", toolstest.Dict{"root_path": "a/../b"}, `".."`)
		r.Bad("query_nb_sessions", toolstest.Dict{"path": "a"}, `no argument "path"`)
	})
}

func TestWrongToken(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		good := toolstest.NewOn(t, s)
		path := s.Notebook(t, "1")
		defer good.Unchanged(path)()
		r := toolstest.NewOn(t, s.WithToken("wrong-token"))
		for tool, args := range toolstest.CallsOfTheServer(path) {
			r.Bad(tool, args, "token is wrong or missing", "JUPYTER_TOKEN")
		}
		r.CallsOfOurs()
	})
}

func TestServerDown(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.NewOn(t, &jupytertest.Server{URL: "http://127.0.0.1:9", Token: "any-token"})
		for tool, args := range toolstest.CallsOfTheServer("a.ipynb") {
			r.Bad(tool, args, "http://127.0.0.1:9")
		}
		r.CallsOfOurs()
	})
}

// The list of tools matches the toolsets, in a fixed order.
func TestToolsList(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		names := func(cfg tools.Config) string {
			cfg.Work = r.Work
			c := r.Connect(cfg)
			defer c.Close()
			list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, tool := range list.Tools {
				out = append(out, tool.Name)
			}
			return strings.Join(out, " ")
		}
		if got := names(tools.Config{Toolsets: []string{"rtc"}}); got != "end_document_session end_nb_session query_document_session query_nb_sessions" {
			t.Errorf("rtc: %s", got)
		}
		if got := names(tools.Config{Toolsets: []string{"notebook", "rtc"}, ReadOnly: true}); got != "get_base_url get_nb_stat list_available_kernels list_nbs nb_path_from_url query_document_session query_nb_sessions read_nb_cells" {
			t.Errorf("read-only: %s", got)
		}
		if got := names(tools.Config{Toolsets: []string{"runs"}}); got != "answer_input cancel_run get_run list_runs wait_run" {
			t.Errorf("runs: %s", got)
		}
		if got := names(tools.Config{}); got != "call_tool cancel_run changes_since create_document delete_nb_cells edit_text execute_nb_cells find_tools "+
			"insert_nb_cells inspect_data list_nbs look_around modify_nb_cells read_nb_cells restart_nb_kernel run_code search undo_agent wait_for_mention watch_runs" {
			t.Errorf("default: %s", got)
		}
	})
}
