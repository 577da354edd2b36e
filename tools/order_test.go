package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
)

// The tools are listed in one order, however the toolsets are named and however often the program starts: clients cache the
// list, and models the words before it, as long as nothing changes.
func TestToolsAreListedInOneOrder(t *testing.T) {
	srv, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: srv})
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	list := func(toolsets []string) string {
		t.Helper()
		names, err := tools.ParseToolsets(strings.Join(toolsets, ","))
		if err != nil {
			t.Fatal(err)
		}
		s, err := tools.New(tools.Config{Work: deps.NewWork(m), Version: "test", Toolsets: names})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	all := tools.ToolsetNames()
	first := list(all)
	for range 5 {
		slices.Reverse(all)
		if got := list(all); got != first {
			t.Error("the list differs from that of another start")
		}
	}
	all = append(all[2:], all[:2]...)
	if got := list(all); got != first {
		t.Error("the list depends on the order of the toolsets")
	}
	if got := list([]string{"all"}); got != first {
		t.Error("the list depends on how all toolsets are named")
	}
}
