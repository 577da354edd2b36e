package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/poll"
)

// agentName is what people see of the agent.
const agentName = "AI Agent"

// The collaborators panel names the agent while it has a notebook open, and no
// longer once it has left.
func TestPanelNamesAgent(t *testing.T) {
	ctx := t.Context()
	path := newNotebook(t, code("1"))
	tab := open(t, path)
	names := func(want bool) func(context.Context) error {
		return func(ctx context.Context) error {
			entries, err := tab.Collaborators(ctx)
			if err == nil && slices.ContainsFunc(entries, func(e string) bool { return strings.Contains(e, agentName) }) != want {
				err = fmt.Errorf("%q", entries)
			}
			return err
		}
	}
	must(t, names(false)(ctx))

	nbduet := startAgent(t)
	readCells(t, nbduet, path)
	must(t, poll.Until(ctx, "the agent in the panel", names(true)))
	tab.shoot("agent-in-panel")

	_, err := nbduet.Do(ctx, "end_nb_session", map[string]any{"path": path}, nil)
	must(t, err)
	must(t, poll.Until(ctx, "the agent out of the panel", names(false)))
	tab.shoot("agent-gone")
}
