package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/files"
	"github.com/nbduet/nbduet/tools/document"
)

// folders is a server that has nothing but folders, of which list says what is
// in each.
func folders(t *testing.T, list func(path string) ([]dict, bool)) *jupytertest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		path := strings.Trim(strings.TrimPrefix(req.URL.Path, "/api/contents"), "/")
		entries, ok := list(path)
		if !ok {
			http.Error(w, `{"message":"no"}`, http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		body := dict{"name": path, "path": path, "type": "directory", "writable": true}
		if req.URL.Query().Get("content") == "1" {
			body["content"] = entries
		}
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Log(err) // the walk has ended
		}
	}))
	t.Cleanup(s.Close)
	return &jupytertest.Server{URL: s.URL, Token: "any-token"}
}

func entry(typ, folder, name string) dict {
	return dict{"name": name, "path": strings.Trim(folder+"/"+name, "/"), "type": typ, "writable": true}
}

// A walk ends at its bounds, says so, and says what it could not read.
func TestWalkIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		list  func(path string) ([]dict, bool)
		found int
		says  string
	}{
		"entries": {func(string) (out []dict, ok bool) {
			for i := range files.MaxEntries + 1 {
				out = append(out, entry("file", "", fmt.Sprint(i)))
			}
			return out, true
		}, 0, "more than 10,000 files and folders"},
		"found": {func(string) (out []dict, ok bool) {
			for i := range files.MaxListed + 1 {
				out = append(out, entry("notebook", "", fmt.Sprintf("%d.ipynb", i)))
			}
			return out, true
		}, files.MaxListed, "more than 1,500 notebooks"},
		"depth": {func(path string) ([]dict, bool) {
			return []dict{entry("directory", path, "d"), entry("notebook", path, "n.ipynb")}, true
		}, files.MaxDepth + 1, "folders more than 20 deep"},
		"unreadable and hidden": {func(path string) ([]dict, bool) {
			if path != "" {
				return nil, false
			}
			return []dict{entry("directory", path, "closed"), entry("directory", path, ".hidden"), entry("notebook", path, "n.ipynb")}, true
		}, 1, "1 folder could not be listed, for example"},
	} {
		t.Run(name, func(t *testing.T) {
			s := folders(t, c.list)
			srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token})
			if err != nil {
				t.Fatal(err)
			}
			defer srv.CloseIdleConnections()
			found, note, err := document.Walk(t.Context(), srv, files.Search{
				What: "notebook", Depth: files.MaxDepth, Wants: func(c jupyter.Content) bool { return c.Type == "notebook" },
			})
			if err != nil || len(found) != c.found || !strings.Contains(note.String(), c.says) {
				t.Errorf("%d found, %q, %v", len(found), note, err)
			}
		})
	}
}

// A client that asks for it hears how far a long walk is.
func TestWalkTellsOfProgress(t *testing.T) {
	heard := make(chan string, 100)
	told := make(chan struct{})
	r := newRigOn(t, folders(t, func(path string) ([]dict, bool) {
		if path == "slow" {
			<-told // it takes until somebody has heard of it
		}
		if path != "" {
			return nil, true
		}
		return []dict{entry("directory", "", "slow"), entry("notebook", "", "n.ipynb")}, true
	}))
	r.client.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" && n.Params.AdditionalFields["progressToken"] == "walk" {
			heard <- fmt.Sprint(n.Params.AdditionalFields["message"])
		}
	})
	done := make(chan error, 1)
	go func() {
		var req mcp.CallToolRequest
		req.Params.Name = "list_nbs"
		req.Params.Meta = &mcp.Meta{ProgressToken: "walk"}
		_, err := r.client.CallTool(context.Background(), req)
		done <- err
	}()
	late := time.After(time.Minute)
	for message := ""; message != "1 folder listed, 1 notebook found"; {
		select {
		case message = <-heard: // at first it may not have come to anything
			continue
		case <-late:
			t.Errorf("the last that was heard is %q", message)
		}
		break
	}
	close(told)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
