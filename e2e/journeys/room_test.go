package journeys

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// A notebook that nobody asks about is left; the next call joins it again, with what somebody has typed meanwhile, and
// edits go both ways.
func TestEvictionAndReturn(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "x = 1")
	m := join(t, kit.Jupyter(t), path)
	a := kit.StartAgentAs(t, agent.Options{Args: []string{"--session-timeout", "0.02"}})
	kit.ReadCells(t, a, path)
	must(t, poll.Until(t.Context(), "the session to end by itself", func(context.Context) error {
		var list agent.Sessions
		_, err := a.Do(t.Context(), "query_nb_sessions", nil, &list)
		must(t, err)
		for _, s := range list.Sessions {
			if s.Path == path && strings.Contains(s.Message, "idle for longer") {
				return nil
			}
		}
		return fmt.Errorf("%+v", list)
	}))
	m.types(0, len("x = 1"), " # meanwhile")
	if got := kit.ReadCells(t, a, path); len(got) != 1 || got[0].Source != "x = 1 # meanwhile" {
		t.Fatalf("read after the return: %+v", got)
	}
	do(t, a, "edit_text", map[string]any{"path": path, "old_text": "x = 1", "new_text": "x = 2"})
	m.sees("the agent's edit beside the person's", func(cells []roomCell) error {
		return same(sources(cells, inRoom), []string{"c0: x = 2 # meanwhile"})
	})
}

// A client that has subscribed to a cell hears of what somebody types there, and reads it.
func TestSubscription(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "x = 1", "y = 1")
	m := join(t, kit.Jupyter(t), path)
	// The newer revisions have another way to subscribe.
	a := kit.StartAgentAs(t, agent.Options{Protocol: "2025-11-25"})
	kit.ReadCells(t, a, path)
	text, err := a.Read(t.Context(), "notebook://list")
	must(t, err)
	var list []struct{ Path, URI string }
	must(t, json.Unmarshal([]byte(text), &list))
	if len(list) != 1 || list[0].Path != path {
		t.Fatalf("the client's notebooks are %s", text)
	}
	uri := list[0].URI + "/cells/c0"
	must(t, a.Subscribe(t.Context(), uri))
	m.types(0, 0, "# by hand\n")
	must(t, poll.Until(t.Context(), "the update", func(context.Context) error {
		if a.Updates(uri) == 0 {
			return fmt.Errorf("none of %s", uri)
		}
		return nil
	}))
	got, err := a.Read(t.Context(), uri)
	must(t, err)
	if got != "# by hand\nx = 1" {
		t.Errorf("the cell is %q", got)
	}
}
