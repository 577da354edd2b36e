package tab_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// agentName is the name that people see for the agent.
const agentName = "nbduet-e2e (AI)"

// The collaborators panel names the agent while it has a notebook open, and not after it has left.
func TestPanelNamesAgent(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("1"))
	tab := open(t, path)
	// Agents of earlier tests may still be present for a moment.
	must.NoError(t, poll.Until(ctx, "no agent in the panel", func(ctx context.Context) error { return tab.panelNames(ctx, path, false) }))

	nbduet := kit.StartAgent(t)
	kit.ReadCells(t, nbduet, path)
	must.NoError(t, poll.Until(ctx, "the agent in the panel", func(ctx context.Context) error { return tab.panelNames(ctx, path, true) }))
	tab.Shoot("agent-in-panel")

	_, err := nbduet.Do(ctx, "end_nb_session", map[string]any{"path": path}, nil)
	must.NoError(t, err)
	must.NoError(t, poll.Until(ctx, "the agent out of the panel", func(ctx context.Context) error { return tab.panelNames(ctx, path, false) }))
	tab.Shoot("agent-gone")
}

// panelNames checks that the collaborators panel names the agent with its open notebook, or does not name it.
func (p *person) panelNames(ctx context.Context, path string, want bool) error {
	entries, err := p.Collaborators(ctx)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.Contains(entry, agentName) {
			if want && strings.Contains(entry, path) {
				return nil
			}
			return fmt.Errorf("%q", entries)
		}
	}
	if want {
		return fmt.Errorf("%q", entries)
	}
	return nil
}

var update = flag.Bool("update", false, "write the README's picture anew")

// The README's picture: the demo notebook with a line from a person, the agent plots, and a second person corrects a
// number, from the first person's view.
func TestPersonAndAgentTogether(t *testing.T) {
	ctx := t.Context()
	const path = "bikes.ipynb"
	text, err := os.ReadFile("../testdata/demo.ipynb")
	must.NoError(t, err)
	kit.AddNotebook(t, path, text)
	tab, second := open(t, path), open(t, path)
	must.NoError(t, second.CallThemselves(ctx, "Jonas", "#2e7d32"))
	must.NoError(t, tab.Resize(ctx, 1100, 800))
	nbduet := kit.StartAgentAs(t, agent.Options{Client: "claude-code"})
	_, err = nbduet.Do(ctx, "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 1, "end": 3}}}, nil)
	must.NoError(t, err)

	must.NoError(t, tab.EditCell(ctx, 2))
	must.NoError(t, tab.Press(ctx, kb.Escape))
	must.NoError(t, tab.Type(ctx, "b"))
	must.NoError(t, tab.WaitView(ctx, "the person's cell", func(cells []browser.ViewCell) error {
		if len(cells) != 4 {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	must.NoError(t, tab.EditCell(ctx, 3))
	must.NoError(t, tab.Type(ctx, "# Does the rain keep people at home?"))

	const plot = `wet = counts["rain_mm"] > 1
fig, ax = plt.subplots(figsize=(6, 2))
ax.bar(counts["day"], counts["bikes"], color=np.where(wet, "steelblue", "orange"))
ax.set_title("Bikes a day: rain is blue")
plt.show()`
	kit.ReadCells(t, nbduet, path) // with the person's cell
	_, err = nbduet.Do(ctx, "insert_nb_cells", kit.Insert(path, 4, true, plot), nil)
	must.NoError(t, err)
	must.NoError(t, tab.WaitView(ctx, "the plot", func(cells []browser.ViewCell) error {
		if len(cells) != 5 || cells[4].Prompt != "[3]:" || len(cells[4].Outputs) != 1 || cells[4].Outputs[0].Width == 0 {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	must.NoError(t, tab.Scroll(ctx, 4))
	must.NoError(t, second.EditCell(ctx, 2))
	must.NoError(t, second.Press(ctx, kb.ArrowUp))
	must.NoError(t, second.Press(ctx, kb.ArrowUp))
	must.NoError(t, second.Press(ctx, kb.End))
	_, err = nbduet.Do(ctx, "edit_text", map[string]any{"path": path, "old_text": "rain is blue", "new_text": "blue is rain"}, nil)
	must.NoError(t, err)
	must.NoError(t, second.Type(ctx, "  # in mm"))
	must.NoError(t, poll.Until(ctx, "both flags", func(ctx context.Context) error {
		flags, err := tab.Flags(ctx)
		if err == nil && len(flags) != 2 {
			err = fmt.Errorf("%+v", flags)
		}
		return err
	}))
	tab.Shoot("together")
	if *update {
		must.NoError(t, tab.Screenshot(ctx, "../testdata/screenshot.png"))
	}
}
