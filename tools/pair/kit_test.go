package pair_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

type dict = toolstest.Dict

// duo has an agent and people in one notebook.
type duo struct {
	*toolstest.Rig
	t     *testing.T
	path  string
	words *client.Client // of an agent that receives answers in words
}

func newDuo(t *testing.T, sources ...string) *duo {
	t.Helper()
	return duoOf(t, toolstest.New(t), sources...)
}

func duoOf(t *testing.T, r *toolstest.Rig, sources ...string) *duo {
	t.Helper()
	d := &duo{Rig: r, t: t, path: r.Server.Notebook(t, sources...)}
	d.agent(tools.Config{})
	return d
}

// agent replaces d.words by another client.
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

// person makes a person open the notebook.
func (d *duo) person(name string) *sessiontest.Person {
	d.t.Helper()
	p := sessiontest.PersonIn(d.t, d.Srv, d.path)
	p.Show(dict{"user": user(name, name), "autosave": true})
	return p
}

func user(username, name string) dict {
	return dict{"username": username, "name": name, "display_name": name, "initials": "X", "color": "red"}
}

// types makes a person edit, and waits until the agent has received it.
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

// since returns the answer of changes_since.
func (d *duo) since(revision string, own bool) pair.ChangesResult {
	d.t.Helper()
	var out pair.ChangesResult
	d.Good("changes_since", d.in(dict{"revision": revision, "own": own}), &out)
	return out
}

// asOne makes all calls come from one client: the MCP clients of d otherwise see one another.
func (d *duo) asOne() *duo {
	d.Who = new(tool.Clients).Enter()
	d.t.Cleanup(d.Who.Dismiss)
	return d
}

// says returns a call's answer in words.
func (d *duo) says(name string, args toolstest.Dict) string {
	d.t.Helper()
	return d.asks(name, d.in(args))
}

// asks is says without the notebook's path.
func (d *duo) asks(name string, args dict) string {
	d.t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	ctx, stop := context.WithTimeout(d.t.Context(), time.Hour)
	defer stop()
	if d.Who != nil {
		ctx = tool.WithClient(ctx, d.Who)
	}
	res, err := d.words.CallTool(ctx, req)
	if err != nil {
		d.t.Fatal(err)
	}
	return toolstest.MessageOf(res)
}

// in returns arguments with the notebook's path added.
func (d *duo) in(args dict) dict {
	out := dict{"path": d.path}
	maps.Copy(out, args)
	return out
}

// somebody is a person with the notebook open who shows their caret.
type somebody struct {
	*sessiontest.Person
	d     *duo
	state dict
}

func (d *duo) enters(username, name string) *somebody {
	d.t.Helper()
	return &somebody{sessiontest.PersonIn(d.t, d.Srv, d.path), d, dict{"user": user(username, name)}}
}

// settle waits until sent messages have arrived.
func settle() { time.Sleep(200 * time.Millisecond) }

// shows announces some keys.
func (s *somebody) shows(more dict) {
	s.state = maps.Clone(s.state)
	maps.Copy(s.state, more)
	s.Show(s.state)
	s.Reaches()
	settle()
}

// selects shows a selection in a cell, or a caret if both ends are equal.
func (s *somebody) selects(cell string, anchor, head int) {
	s.d.t.Helper()
	var at []any
	for _, offset := range []int{anchor, head} {
		pos, err := s.Notebook.RelativePosition(cell, offset)
		if err != nil {
			s.d.t.Fatal(err)
		}
		at = append(at, pos)
	}
	s.shows(dict{"cursors": []any{dict{"anchor": at[0], "head": at[1], "primary": true, "empty": anchor == head}}})
}

// types puts a text at the end of a cell.
func (s *somebody) types(cell, text string) {
	s.d.t.Helper()
	c, _ := s.Notebook.Cell(cell)
	if err := s.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(cell, c.Source+text) }); err != nil {
		s.d.t.Fatal(err)
	}
	s.Reaches()
	settle()
}

// known waits until all who are present are known; they renew their awareness meanwhile.
func (d *duo) known(all ...*somebody) {
	for range 2 {
		time.Sleep(10 * time.Second)
		for _, s := range all {
			s.shows(nil)
		}
	}
}

// holds fails unless a text contains all wanted texts.
func holds(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in:\n%s", w, text)
		}
	}
}
