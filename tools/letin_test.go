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

// A program that the server no longer admits does not answer from its own data either.
func TestNotLetIn(t *testing.T) {
	hub := hubtest.New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"started": "2026-11-01T00:00:00Z"}`)) // the client shows what is wrong
	}))
	t.Cleanup(hub.Close)
	hub.Allow("access", "ann", "access:servers!user=ann")
	hub.Set("ready", "")
	srv, err := jupyter.New(jupyter.Options{URL: hub.URL(), Token: "access", Timeout: 5 * time.Second})
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
	mcp, err := tools.New(tools.Config{Work: deps.NewWork(manager)})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, params string) string {
		t.Helper()
		answer, err := json.Marshal(mcp.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)))
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	const call, read = `{"name":"session_list","arguments":{}}`, `{"uri":"notebook:///any/metadata"}`
	const refuses = "refuses this program"
	text := ask("tools/call", call)
	test.StrNotContains(t, text, refuses)
	test.StrNotContains(t, text, `"isError":true`)
	if text := ask("resources/read", read); strings.Contains(text, refuses) {
		t.Error(text)
	}
	hub.Revoke("access")
	if _, err := srv.Health.Status(t.Context()); err == nil { // as a room that is joined again does
		t.Fatal("a revoked token is let in")
	}
	for _, text := range []string{ask("tools/call", call), ask("resources/read", read)} {
		test.StrContains(t, text, refuses)
		test.StrContains(t, text, "JupyterHub does not know the token")
	}
	hub.Allow("access", "ann", "access:servers!user=ann")
	if text := ask("tools/call", call); strings.Contains(text, refuses) {
		t.Error(text)
	}
}
