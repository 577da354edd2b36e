package pair

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

type lookArgs struct {
	Path string `json:"path,omitempty" jsonschema:"Left out: everyone viewing a notebook that is open here." validate:"max=path"`
}

// A LookResult is the answer of look_around.
type LookResult struct {
	Path   string `json:"path,omitempty" jsonschema:"The notebook, if one was named."`
	People []Seen `json:"people" jsonschema:"The people and agents there, latest activity first; agents last."`
	// KnownIn is nil if everyone present is known.
	KnownIn   *int        `json:"known_in,omitempty" jsonschema:"Seconds until all are known: people who came earlier may be missing. Absent if all are known."`
	Lost      bool        `json:"connection_lost,omitempty" jsonschema:"Whether the connection is lost, so that people's activity is unknown."`
	Elsewhere []Elsewhere `json:"elsewhere,omitempty" jsonschema:"People with another document in front."`
	Message   string      `json:"message"`

	rolls map[string]*target.Roll // by path
}

// Seen is a person or an agent in a notebook.
type Seen struct {
	Name     string `json:"name"`
	Username string `json:"username,omitempty" jsonschema:"Distinguishes people of one name."`
	Agent    bool   `json:"agent,omitempty" jsonschema:"Another agent, not a person."`
	Status   string `json:"status,omitempty" jsonschema:"An agent's announced activity, such as editing or running cell 4."`
	Path     string `json:"path,omitempty" jsonschema:"The notebook, if the call named none."`
	Spot
	Tabs    []Spot   `json:"other_tabs,omitempty" jsonschema:"Where their other tabs are."`
	Unclear bool     `json:"unclear,omitempty" jsonschema:"true if the tab that they last used is unknown."`
	Front   []string `json:"in_front,omitempty" jsonschema:"Documents that they have in front."`

	called string
}

// A Spot is the position of a tab in a notebook.
type Spot struct {
	CellID   string   `json:"cell_id,omitempty" jsonschema:"Absent if the tab shows no caret."`
	Index    *int     `json:"cell_index,omitempty"`
	From     *Place   `json:"from,omitempty" jsonschema:"The caret, or the beginning of the selection; absent if only the cell is known."`
	To       *Place   `json:"to,omitempty" jsonschema:"The end of the selection; absent for a caret."`
	Selected string   `json:"selected,omitempty" jsonschema:"The selected text, cut in the middle if long."`
	Moved    *float64 `json:"moved,omitempty" jsonschema:"Seconds since the caret moved; absent if not since nbduet joined."`
	Typed    *float64 `json:"typed,omitempty" jsonschema:"Seconds since they typed; absent if not since nbduet joined."`
}

// A Place is a position in a cell.
type Place struct {
	Line   int `json:"line" jsonschema:"From 1."`
	Column int `json:"column" jsonschema:"In characters, from 1."`
}

// Elsewhere is a person with another document in front.
type Elsewhere struct {
	Name     string   `json:"name"`
	Username string   `json:"username,omitempty"`
	Front    []string `json:"in_front" jsonschema:"Empty if it is not a document."`

	called string
}

// lookAround makes look_around.
func lookAround(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "look_around",
		Title: "See where people are",
		Description: "Shows who is in a notebook, in which cell, what they have selected, and when they last moved and typed. Use it when a person says \"this cell\" or \"here\". " +
			"Wherever a call takes a cell's id, \"theirs\" is the cell where the person is; with several people, give person, too: a name or username.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.ResultOf[LookResult](nil).WithCarets(),
		Call: tool.Typed(func(ctx context.Context, args lookArgs) (*tool.Answer, error) {
			out := &LookResult{People: []Seen{}, Path: args.Path, rolls: map[string]*target.Roll{}}
			lobby := d.Manager.Presence.Lobby()
			if args.Path == "" {
				out.everywhere(ctx, d, lobby)
			} else if err := out.inNotebook(ctx, d, lobby); err != nil {
				return nil, err
			}
			out.order()
			out.call()
			out.show()
			out.Message = out.first()
			a := &tool.Answer{Body: out, Words: tool.Words(ctx, out.words)}
			return a, a.TrimTo(len(out.People), func(n int) { out.People = out.People[:n] })
		}),
	}
}

// inNotebook finds the people and agents in one notebook.
func (r *LookResult) inNotebook(ctx context.Context, d *deps.Deps, lobby people.Lobby) error {
	doc, err := d.Open(ctx, r.Path)
	if err != nil {
		return err
	}
	defer doc.Release()
	r.Path = doc.Path().String()
	c := doc.Company()
	for _, p := range slices.Concat(c.People, session.Colleagues(doc, tool.ClientOf(ctx))) {
		s := seen(p)
		if f, ok := lobby.Of(p.Username); ok {
			s.Front = f.Documents
		}
		r.People = append(r.People, s)
	}
	r.known(c.Known)
	r.roll(ctx, doc)
	return nil
}

// everywhere finds the people and agents that have a notebook in front that is open here.
func (r *LookResult) everywhere(ctx context.Context, d *deps.Deps, lobby people.Lobby) {
	docs := map[string]*session.Document{}
	for _, doc := range d.Manager.HoldUnder(func(jupyter.Path) bool { return true }) {
		defer doc.Release()
		if doc.Notebook() != nil {
			docs[doc.Path().String()] = doc
			r.rolls[doc.Path().String()] = nil
		}
	}
	if len(docs) == 0 {
		return
	}
	r.known(lobby.Known)
	for path, doc := range docs {
		for _, p := range session.Colleagues(doc, tool.ClientOf(ctx)) {
			s := seen(p)
			s.Path = path
			r.People = append(r.People, s)
			if r.rolls[path] == nil {
				r.roll(ctx, doc)
			}
		}
	}
	companies := map[string]people.Company{}
	for _, f := range lobby.Fronts {
		ours := false
		for _, path := range f.Documents {
			doc := docs[path]
			if doc == nil {
				continue
			}
			ours = true
			c, looked := companies[path]
			if !looked {
				c = doc.Company()
				companies[path] = c
				r.known(c.Known)
				r.roll(ctx, doc)
			}
			s := Seen{Name: f.Name, Username: f.Username, Agent: f.Agent}
			if at := slices.IndexFunc(c.People, func(p people.Person) bool { return f.Username != "" && p.Username == f.Username && p.Agent == f.Agent }); at >= 0 {
				s = seen(c.People[at])
			}
			s.Path, s.Front = path, f.Documents
			r.People = append(r.People, s)
		}
		if !ours && !f.Agent {
			r.Elsewhere = append(r.Elsewhere, Elsewhere{Name: f.Name, Username: f.Username, Front: append([]string{}, f.Documents...)})
		}
	}
	const most = 20
	r.Elsewhere = r.Elsewhere[:min(most, len(r.Elsewhere))]
}

// known records how long the list may still be incomplete.
func (r *LookResult) known(k people.Known) {
	if k.All() {
		return
	}
	if in := k.Seconds(); r.KnownIn == nil || in > *r.KnownIn {
		r.KnownIn = &in
	}
	r.Lost = r.Lost || k.Cut
}

// show records that the client is shown the cells in which people are.
func (r *LookResult) show() {
	for _, s := range r.People {
		if roll := r.rolls[cmp.Or(s.Path, r.Path)]; roll != nil && s.Index != nil {
			roll.Show(s.CellID)
		}
	}
}

// roll stores the roll of a notebook.
func (r *LookResult) roll(ctx context.Context, doc *session.Document) {
	r.rolls[doc.Path().String()] = target.RollOf(ctx, doc)
}

// seen describes a person or an agent for an answer.
func seen(p people.Person) Seen {
	here, sure := p.Here()
	s := Seen{Name: p.Name, Username: p.Username, Agent: p.Agent, Status: p.Status.Text, Spot: spot(here), Unclear: !sure}
	const most = 10
	for _, at := range p.Places[1:min(most, len(p.Places))] {
		s.Tabs = append(s.Tabs, spot(at))
	}
	return s
}

// spot describes the position of a tab.
func spot(at people.Place) Spot {
	s := Spot{CellID: at.Cell, Selected: at.Selected, Moved: since(at.Moved), Typed: since(at.Typed)}
	if at.Cell != "" {
		s.Index = &at.Index
	}
	if at.Caret {
		s.From = &Place{at.From.Line, at.From.Column}
		if at.From != at.To {
			s.To = &Place{at.To.Line, at.To.Column}
		}
	}
	return s
}

// since returns the seconds since a time, nil if the time is unknown.
func since(t time.Time) *float64 {
	if t.IsZero() {
		return nil
	}
	return new(math.Round(time.Since(t).Seconds()*10) / 10)
}

// order puts people before agents, and the latest to move or type first.
func (r *LookResult) order() {
	rank := func(s Seen) float64 {
		least := math.MaxFloat64 / 4
		for _, t := range []*float64{s.Moved, s.Typed} {
			if t != nil {
				least = min(least, *t)
			}
		}
		if s.Agent {
			least += math.MaxFloat64 / 2
		}
		return least
	}
	slices.SortStableFunc(r.People, func(a, b Seen) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Path, b.Path))
	})
}

// call sets the displayed name of each; people of the same name also get their usernames.
func (r *LookResult) call() {
	users := map[string]map[string]bool{}
	note := func(name, username string) {
		if users[name] == nil {
			users[name] = map[string]bool{}
		}
		users[name][username] = true
	}
	for _, s := range r.People {
		note(s.Name, s.Username)
	}
	for _, e := range r.Elsewhere {
		note(e.Name, e.Username)
	}
	for i, s := range r.People {
		r.People[i].called = people.Called(s.Name, s.Username, len(users[s.Name]) > 1)
	}
	for i, e := range r.Elsewhere {
		r.Elsewhere[i].called = people.Called(e.Name, e.Username, len(users[e.Name]) > 1)
	}
}
