package lease_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// room is a person's notebook that processes also open.
type room struct {
	t      *testing.T
	path   string
	person *sessiontest.Person
}

// process is one of these processes.
type process struct {
	*session.Manager
	r   *room
	doc *session.Document
}

// newRoom makes a notebook of n empty cells, and opens it as Ada.
func newRoom(t *testing.T, s *jupytertest.Server, cells int) *room {
	t.Helper()
	r := &room{t: t, path: s.Notebook(t, make([]string, cells)...)}
	r.enter(s)
	return r
}

func (r *room) enter(s *jupytertest.Server) {
	r.t.Helper()
	r.person = sessiontest.PersonIn(r.t, sessiontest.Server(r.t, s), r.path)
	r.person.Show(map[string]any{"user": map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada"}})
}

// opens starts a process that opens the notebook.
func (r *room) opens(s *jupytertest.Server) *process {
	r.t.Helper()
	p := &process{Manager: session.New(session.Config{Server: sessiontest.Server(r.t, s), IdleTimeout: time.Hour}), r: r}
	r.t.Cleanup(p.ends)
	var err error
	if p.doc, err = p.Open(r.t.Context(), jupyter.MustPath(r.path)); err != nil {
		r.t.Fatal(err)
	}
	return p
}

func (p *process) ends() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := p.Close(ctx); err != nil {
		p.r.t.Log("close:", err)
	}
}

// known waits until every client knows all others.
func (r *room) known() {
	for range 4 {
		time.Sleep(5 * time.Second)
		r.person.Show(map[string]any{"user": map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada"}})
	}
}

// calls makes Ada write calls into the first n cells at once, replacing their sources.
func (r *room) calls(what string, n int) {
	r.t.Helper()
	r.writes(n, func(int) string { return "" })
	time.Sleep(time.Second)
	r.writes(n, func(i int) string { return fmt.Sprintf("# @Duet %s %d", what, i) })
}

func (r *room) writes(n int, source func(i int) string) {
	r.t.Helper()
	if err := r.person.Notebook.Edit("type", func(e *ydoc.Editor) error {
		for i := range n {
			if err := e.SetSource(fmt.Sprint("c", i), source(i)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
}

// takes makes a client take all mentions until the context ends.
func (p *process) takes(ctx context.Context, client string, told func(mentions.Mention)) {
	for ctx.Err() == nil {
		next := p.Mentions.Changed()
		if m, ok := p.Leases.Take(ctx, mentions.Asks{Client: client}); ok {
			told(m)
			continue
		}
		select {
		case <-next:
		case <-ctx.Done():
			return
		}
	}
}

// take takes a mention within a time; the zero Mention means none.
func (p *process) take(client string, within time.Duration) (m mentions.Mention) {
	p.r.t.Helper()
	ctx, stop := context.WithTimeout(p.r.t.Context(), within)
	defer stop()
	p.takes(ctx, client, func(one mentions.Mention) {
		m = one
		stop()
	})
	return m
}

// listed returns the unanswered mentions that a process knows, with their holders.
func (p *process) listed() (out []string) {
	for _, l := range p.Mentions.List(mentions.Asks{Client: "list"}) {
		out = append(out, l.Says+": "+l.Taken)
	}
	return out
}

// state returns our keys in the room's state.
func (p *process) state() []string {
	return slices.Sorted(maps.Keys(p.doc.Notebook().StateEntries("nbduet:")))
}

// tally counts the deliveries.
type tally struct {
	mu   sync.Mutex
	told map[string][]string
}

func (c *tally) of(who string) func(mentions.Mention) {
	return func(m mentions.Mention) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.told[m.Says] = append(c.told[m.Says], who)
	}
}

func (c *tally) all() map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.told)
}
