package pair_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// duo is an agent and people in one notebook.
type duo struct {
	*toolstest.Rig
	t     *testing.T
	path  string
	words *client.Client // of an agent that is answered in words
}

func newDuo(t *testing.T, sources ...string) *duo {
	t.Helper()
	r := toolstest.New(t)
	d := &duo{Rig: r, t: t, path: r.Server.Notebook(t, sources...)}
	d.agent(tools.Config{})
	return d
}

// agent makes d.words another client.
func (d *duo) agent(cfg tools.Config) {
	d.t.Helper()
	cfg.Work = d.Work
	c := d.Connect(cfg)
	d.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			d.t.Error(err)
		}
	})
	d.words = c
}

// person lets somebody open the notebook.
func (d *duo) person(name string) *sessiontest.Person {
	d.t.Helper()
	p := sessiontest.PersonIn(d.t, d.Srv, d.path)
	p.Show(map[string]any{"user": map[string]any{"username": name, "name": name, "display_name": name, "initials": "X", "color": "red"}, "autosave": true})
	return p
}

// types has a person make an edit, and waits until the agent has it.
func (d *duo) types(p *sessiontest.Person, fn func(e *ydoc.Editor) error) {
	d.t.Helper()
	same := func() bool {
		_, cells := d.Room(d.path)
		theirs := p.Notebook.Cells()
		return slices.EqualFunc(cells, theirs, func(a, b ydoc.Cell) bool { return a.ID == b.ID && a.Type == b.Type && a.Source == b.Source })
	}
	sessiontest.Eventually(d.t, "the person has what the agent has", same)
	if err := p.Notebook.Edit("type", fn); err != nil {
		d.t.Fatal(err)
	}
	sessiontest.Eventually(d.t, "the agent has what the person has", same)
}

// since is what changes_since answers.
func (d *duo) since(revision string, own bool) pair.ChangesResult {
	d.t.Helper()
	var out pair.ChangesResult
	d.Good("changes_since", toolstest.Dict{"path": d.path, "revision": revision, "own": own}, &out)
	return out
}

// says is a call's answer in words.
func (d *duo) says(name string, args toolstest.Dict) string {
	d.t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, toolstest.With(args, "path", d.path)
	ctx, stop := context.WithTimeout(d.t.Context(), time.Hour)
	defer stop()
	res, err := d.words.CallTool(ctx, req)
	if err != nil {
		d.t.Fatal(err)
	}
	return toolstest.MessageOf(res)
}
