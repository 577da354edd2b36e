package tools_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/hub/hubtest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
)

// A server that a JupyterHub has stopped is started again only by a call that says so.
func TestStartServer(t *testing.T) {
	hub := hubtest.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := `{"started": "2026-11-01T00:00:00Z"}`
		if strings.Contains(r.URL.Path, "/api/contents") {
			answer = `{"name": "", "path": "", "type": "directory", "format": "json", "content": []}`
		}
		_, _ = w.Write([]byte(answer)) // the client shows what is wrong
	}))
	t.Cleanup(hub.Close)
	hub.Allow("full", "ann", "access:servers!user=ann", "read:servers!user=ann", "start:servers!user=ann")
	call := func(cfg tools.Config, args string) string {
		t.Helper()
		srv, err := jupyter.New(jupyter.Options{URL: hub.URL(), Token: "full", Timeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.CloseIdleConnections()
		manager := session.New(session.Config{Server: srv})
		defer func() {
			if err := manager.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		cfg.Work = deps.NewWork(manager)
		mcp, err := tools.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := json.Marshal(mcp.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_nbs","arguments":`+args+`}}`)))
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	wants := func(answer string, starts int, says string) {
		t.Helper()
		started, _ := hub.Counts()
		test.Eq(t, starts, started)
		test.StrContains(t, answer, says)
	}
	stopped := "is not running on JupyterHub"
	wants(call(tools.Config{}, `{}`), 0, stopped)
	wants(call(tools.Config{}, `{"start_server": false}`), 0, stopped)
	wants(call(tools.Config{}, `{"start_server": null}`), 0, stopped)
	wants(call(tools.Config{}, `{"start_server": "soon"}`), 0, `neither true nor false`)
	wants(call(tools.Config{ReadOnly: true}, `{"start_server": true}`), 0, "--read-only")
	wants(call(tools.Config{}, `{"start_server": true}`), 1, "no notebooks")
	hub.Set("", "")
	wants(call(tools.Config{}, `{"start_server": "true"}`), 2, "no notebooks")
	hub.Set("spawn", "spawn") // and it remains so
	began := time.Now()
	wants(call(tools.Config{AnswerWithin: 1500 * time.Millisecond}, `{"start_server": true}`), 2, "JupyterHub is starting the server of ann")
	if took := time.Since(began); took < 1500*time.Millisecond {
		t.Errorf("it waited for %s only", took)
	}
}
