package jupytertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Folders returns a server that has only folders; list returns the entries of each.
func Folders(t testing.TB, list func(path string) (entries []map[string]any, ok bool)) *Server {
	t.Helper()
	return At(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
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
			t.Log(err) // the client has disconnected
		}
	}))
}

// At returns a server with the given handler.
func At(t testing.TB, h http.Handler) *Server {
	t.Helper()
	s := &Server{URL: Serve(t, h), Token: "any-token"}
	if b, ok := bubbleOf(t); ok {
		s.dial = b.net.Dial
	}
	return s
}

// Entry returns an entry of a folder's listing.
func Entry(typ, folder, name string) map[string]any {
	return map[string]any{"name": name, "path": strings.Trim(folder+"/"+name, "/"), "type": typ, "writable": true}
}
