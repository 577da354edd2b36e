package jupytertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Folders is a server that has nothing but folders, of which list says what is in each.
func Folders(t testing.TB, list func(path string) (entries []map[string]any, ok bool)) *Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		path := strings.Trim(strings.TrimPrefix(req.URL.Path, "/api/contents"), "/")
		entries, ok := list(path)
		if !ok {
			http.Error(w, `{"message":"no"}`, http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		body := map[string]any{"name": path, "path": path, "type": "directory", "writable": true}
		if req.URL.Query().Get("content") == "1" {
			body["content"] = entries
		}
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Log(err) // the walk has ended
		}
	}))
	t.Cleanup(s.Close)
	return &Server{URL: s.URL, Token: "any-token"}
}

// Entry is one in the list of a folder.
func Entry(typ, folder, name string) map[string]any {
	return map[string]any{"name": name, "path": strings.Trim(folder+"/"+name, "/"), "type": typ, "writable": true}
}
