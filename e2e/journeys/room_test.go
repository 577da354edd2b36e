package journeys

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// The program leaves the room of an unused notebook; the next call joins it again, with text typed in the meantime, and
// edits go both ways.
func TestEvictionAndReturn(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "x = 1")
	m := join(t, kit.Jupyter(t), path)
	a := kit.StartAgentAs(t, agent.Options{Args: []string{"--session-timeout", "0.02"}})
	kit.ReadCells(t, a, path)
	must.NoError(t, poll.Until(t.Context(), "the session to end by itself", func(context.Context) error {
		var list agent.Sessions
		_, err := a.Do(t.Context(), "query_nb_sessions", nil, &list)
		must.NoError(t, err)
		for _, s := range list.Sessions {
			if s.Path == path && strings.Contains(s.Message, "idle for longer") {
				return nil
			}
		}
		return fmt.Errorf("%+v", list)
	}))
	m.types(0, len("x = 1"), " # meanwhile")
	got := kit.ReadCells(t, a, path)
	must.SliceLen(t, 1, got, must.Sprint("read after the return"))
	must.Eq(t, "x = 1 # meanwhile", got[0].Source, must.Sprint("read after the return"))
	do(t, a, "edit_text", map[string]any{"path": path, "old_text": "x = 1", "new_text": "x = 2"})
	m.sees("the agent's edit beside the person's", func(cells []roomCell) error {
		return same(sources(cells, inRoom), []string{"c0: x = 2 # meanwhile"})
	})
}

// A client that has subscribed to a cell is notified when a person types there, and reads it.
func TestSubscription(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "x = 1", "y = 1")
	m := join(t, kit.Jupyter(t), path)
	// The newest revision has another way to subscribe.
	a := kit.StartAgentAs(t, agent.Options{Protocol: "2025-11-25"})
	kit.ReadCells(t, a, path)
	text, err := a.Read(t.Context(), "notebook://list")
	must.NoError(t, err)
	var list []struct{ Path, URI string }
	must.NoError(t, json.Unmarshal([]byte(text), &list))
	must.SliceLen(t, 1, list, must.Sprint(text))
	must.Eq(t, path, list[0].Path, must.Sprint(text))
	uri := list[0].URI + "/cells/c0"
	must.NoError(t, a.Subscribe(t.Context(), uri))
	m.types(0, 0, "# by hand\n")
	must.NoError(t, poll.Until(t.Context(), "the update", func(context.Context) error {
		if a.Updates(uri) == 0 {
			return fmt.Errorf("none of %s", uri)
		}
		return nil
	}))
	got, err := a.Read(t.Context(), uri)
	must.NoError(t, err)
	if got != "# by hand\nx = 1" {
		t.Errorf("the cell is %q", got)
	}
}
