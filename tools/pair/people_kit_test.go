package pair_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

type dict = toolstest.Dict

// a pairing is a client of the tools, and one that answers in words, on a notebook that people have open.
type pairing struct {
	*toolstest.Rig
	path  string
	words *client.Client
}

func pairOn(t *testing.T, sources ...string) *pairing {
	t.Helper()
	r := toolstest.New(t)
	p := &pairing{r, r.Server.Notebook(t, sources...), r.Connect(tools.Config{Work: r.Work, Version: "test"})}
	t.Cleanup(func() { _ = p.words.Close() })
	return p
}

// says calls a tool through the client that answers in words.
func (p *pairing) says(name string, args dict) string {
	p.T.Helper()
	res := p.CallAs(p.words, name, args)
	if res.IsError {
		p.T.Fatalf("%s: %s", name, toolstest.MessageOf(res))
	}
	return toolstest.MessageOf(res)
}

// somebody is a person with the notebook open.
type somebody struct {
	*sessiontest.Person
	p     *pairing
	state dict
}

func (p *pairing) enters(username, name string) *somebody {
	p.T.Helper()
	return &somebody{sessiontest.PersonIn(p.T, p.Srv, p.path), p, dict{
		"user": dict{"username": username, "name": name, "display_name": name, "initials": "A", "color": "#888"},
	}}
}

// shows announces some keys, and waits until they are heard.
func (s *somebody) shows(more dict) {
	s.state = maps.Clone(s.state)
	maps.Copy(s.state, more)
	s.Show(s.state)
	time.Sleep(200 * time.Millisecond)
}

// selects shows a selection in a cell.
func (s *somebody) selects(cell string, anchor, head int) {
	s.p.T.Helper()
	var at []any
	for _, offset := range []int{anchor, head} {
		pos, err := s.Notebook.RelativePosition(cell, offset)
		if err != nil {
			s.p.T.Fatal(err)
		}
		at = append(at, pos)
	}
	s.shows(dict{"cursors": []any{dict{"anchor": at[0], "head": at[1], "primary": true, "empty": anchor == head}}})
}

// types puts a text at the end of a cell.
func (s *somebody) types(cell, text string) {
	s.p.T.Helper()
	c, _ := s.Notebook.Cell(cell)
	if err := s.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(cell, c.Source+text) }); err != nil {
		s.p.T.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
}

// known waits until all who are there are known, while they renew.
func (p *pairing) known(all ...*somebody) {
	for range 2 {
		time.Sleep(10 * time.Second)
		for _, s := range all {
			s.shows(nil)
		}
	}
}

// holds fails unless a text says all that is wanted.
func holds(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in:\n%s", w, text)
		}
	}
}
