package tools_test

import (
	"net/http"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Each tool that lists needs no request when it is called again, and shows at once what another tool has made.
func TestListedAgain(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Start(t) // list_notebook walks all folders: on a shared server too slow for the cache
		var asked atomic.Int32
		r := toolstest.NewOn(t, sessiontest.Front(t, s, func(next *httputil.ReverseProxy) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.Header.Get("Upgrade") == "" {
					asked.Add(1)
				}
				next.ServeHTTP(w, req)
			})
		}))
		dir := s.Name(t, "-dir")
		s.Write(t, dir+"/sub/data.csv", "x")
		var made struct {
			ID string `json:"session_id"`
		}
		r.Good("session_create", toolstest.Dict{"name": "one"}, &made)
		defer r.Good("session_delete", toolstest.Dict{"session_id": made.ID}, nil)
		r.Good("create_document", toolstest.Dict{"path": dir + "/first.ipynb"}, nil)
		r.Good("use_notebook", toolstest.Dict{"notebook_name": "first", "notebook_path": dir + "/first.ipynb"}, nil)
		for name, c := range map[string]struct {
			args toolstest.Dict
			file bool // whether it lists files
		}{
			"list_nbs":               {toolstest.Dict{"path": dir}, true},
			"list_documents":         {toolstest.Dict{"path": dir, "max_depth": 2}, true},
			"list_files":             {toolstest.Dict{"path": dir}, true},
			"file_list":              {toolstest.Dict{"session_id": made.ID, "path": dir}, true},
			"list_notebook":          {toolstest.Dict{}, true},
			"list_notebooks":         {toolstest.Dict{}, false},
			"list_kernels":           {toolstest.Dict{}, false},
			"list_available_kernels": {toolstest.Dict{}, false},
		} {
			said := func() (string, int32) {
				before := asked.Load()
				text := strings.Join(toolstest.TextsOf(r.Good(name, c.args, nil)), "\n")
				return text, asked.Load() - before
			}
			first, _ := said()
			sessiontest.Eventually(t, name+" costs nothing", func() bool { // earlier requests may end late
				again, n := said()
				return n == 0 && again == first
			})
			path := dir + "/made-before-" + name + ".ipynb"
			r.Good("create_document", toolstest.Dict{"path": path}, nil)
			if text, _ := said(); c.file && !strings.Contains(text, path) {
				t.Errorf("%s does not list what was made: %s", name, text)
			}
		}
	})
}
