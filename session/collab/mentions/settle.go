package mentions

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/collab/people"
)

// lookEvery is how often carets are checked while a call is being written.
const lookEvery = 200 * time.Millisecond

// Run turns calls into mentions once they are written, until the context ends.
func (b *Book) Run(ctx context.Context) {
	timer := time.NewTimer(maxAge)
	defer timer.Stop()
	for {
		next := maxAge
		for _, t := range b.followed() {
			if t.settle(time.Now()) {
				next = lookEvery
			}
		}
		b.age(time.Now())
		timer.Reset(next)
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
			timer.Reset(lookEvery)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
		case <-timer.C:
		}
	}
}

func (b *Book) nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *Book) followed() (all []*Tracker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for t := range b.trackers {
		all = append(all, t)
	}
	return all
}

// written is a call that now becomes a mention.
type written struct {
	cell string
	mark *mark
	call call
	last time.Time
	who  Who
}

// settle turns the finished calls into mentions, and reports whether unfinished ones remain.
func (t *Tracker) settle(now time.Time) (more bool) {
	if !t.drafting() {
		return false
	}
	company := t.of.Company() // reads the notebook, so before the lock
	language := languageOf(t.of.Notebook.Metadata())
	var ready []written
	t.mu.Lock()
	for id, c := range t.cells {
		for _, m := range c.marks {
			if m.draft.IsZero() {
				continue
			}
			who, known := t.wrote(m, company)
			switch {
			case m.marker != "" && !speaks(language, m.marker), !known && now.Sub(m.begun) > unnamedFor, isCalled(m.name, company):
				t.drop(m)
			case known && (now.Sub(m.draft) >= quiet || now.Sub(m.draft) >= overtaken && !inCell(company, m.clients, id)):
				ready = append(ready, written{id, m, m.call, m.draft, who})
			}
		}
	}
	t.mu.Unlock()
	slices.SortFunc(ready, func(a, b written) int {
		if by := a.last.Compare(b.last); by != 0 {
			return by
		}
		return a.call.from - b.call.from
	})
	for _, w := range ready {
		t.count(w, now)
	}
	return t.drafting()
}

func (t *Tracker) drafting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.drafts > 0
}

// count turns one call into a mention.
func (t *Tracker) count(w written, now time.Time) {
	m := Mention{
		Path: t.of.Path(), Cell: w.cell, Mark: markOf(t.of.Notebook, w, t.b.names()), Says: w.call.says, More: w.mark.more, Who: w.who, At: now,
		To: clientsOf(w.call.name, t.b.names()),
	}
	if c := commandOf(m.Says); c != NoCommand && !m.Who.Agent && t.of.Obey != nil && t.of.Obey(c, m) {
		t.mu.Lock()
		t.drop(w.mark)
		w.mark.obeyed = true
		t.mu.Unlock()
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !w.mark.draft.Equal(w.last) || w.mark.says != m.Says {
		return // the author is still typing
	}
	t.drop(w.mark)
	w.mark.id = t.b.Add(m)
}

// wrote returns the author of a call; known is false while no writer has identified itself. A call that a person has helped
// write is the person's.
func (t *Tracker) wrote(m *mark, company people.Company) (who Who, known bool) {
	for _, client := range m.clients {
		name, agent, ok := t.of.Room.Named(client)
		switch {
		case !ok:
		case agent:
			who, known = Who{Name: name, Agent: true}, true
		default:
			who = Who{Name: name}
			for _, p := range company.Persons() {
				if slices.ContainsFunc(p.Places, func(at people.Place) bool { return at.Client == client }) {
					who.Name, who.Username = p.Name, p.Username
				}
			}
			return who, true
		}
	}
	if !known && m.ours != "" {
		return Who{Agent: true, Client: m.ours}, true
	}
	return who, known
}

// inCell reports whether one of the clients has its caret in a cell.
func inCell(company people.Company, clients []uint64, cell string) bool {
	for _, p := range company.Persons() {
		for _, at := range p.Places {
			if at.Cell == cell && slices.Contains(clients, at.Client) {
				return true
			}
		}
	}
	return false
}

// isCalled reports whether a person in the room has this name: then the call is meant for that person.
func isCalled(name string, company people.Company) bool {
	return slices.ContainsFunc(company.Persons(), func(p people.Person) bool {
		return handle(p.Name) == handle(name) || strings.EqualFold(p.Username, name)
	})
}

// languageOf returns the language of a notebook's code, "" if it is not stated.
func languageOf(metadata map[string]any) string {
	for _, at := range [][2]string{{"language_info", "name"}, {"language_info", "language"}, {"kernelspec", "language"}} {
		about, _ := metadata[at[0]].(map[string]any)
		if l, _ := about[at[1]].(string); l != "" {
			return l
		}
	}
	return ""
}
