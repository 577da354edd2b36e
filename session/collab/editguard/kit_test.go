package editguard

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// book is a notebook in a room with other people, each with a separate replica.
type book struct {
	t       *testing.T
	nb      *ydoc.Notebook
	log     *changelog.Log
	company people.Company
	others  map[uint64]*ydoc.Notebook
	named   map[uint64]bool // the clients that awareness has named, and whether they are agents
	joined  time.Time       // if it matters
	settled int
}

// Sole and Named make it history's people.
func (b *book) Sole() (client uint64, ok bool) { return 0, false }

func (b *book) Named(client uint64) (name string, agent, ok bool) {
	agent, ok = b.named[client]
	return "", agent, ok
}

func newBook(t *testing.T) *book {
	t.Helper()
	b := &book{t: t, nb: ydoc.NewNotebookWith(ydoc.Options{ClientID: 1}), others: map[uint64]*ydoc.Notebook{}, named: map[uint64]bool{}}
	b.log = changelog.New(b.nb, b)
	b.edits(b.nb, func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{ID: "a", Type: ydoc.Code, Source: "x = 1"}, ydoc.NewCell{ID: "b", Type: ydoc.Code, Source: "y"})
		return err
	})
	return b
}

// joins adds a person by the client id of their replica.
func (b *book) joins(client uint64, p people.Person) *ydoc.Notebook {
	b.t.Helper()
	other := ydoc.NewNotebookWith(ydoc.Options{ClientID: client})
	u, err := b.nb.Diff(nil)
	if err == nil {
		err = other.Apply(u)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	all := []*ydoc.Notebook{b.nb, other}
	for i, nb := range all {
		to := all[1-i]
		nb.OnUpdate(func(u []byte) {
			if err := to.Apply(u); err != nil {
				b.t.Error(err)
			}
		})
	}
	p.Places = append(p.Places, people.Place{Client: client, Index: -1})
	b.company.People = append(b.company.People, p)
	b.named[client] = p.Agent
	b.others[client] = other
	return other
}

func (b *book) edits(nb *ydoc.Notebook, fn func(*ydoc.Editor) error) {
	b.t.Helper()
	if err := nb.Edit("test", fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *book) types(nb *ydoc.Notebook, cell, source string) {
	b.t.Helper()
	b.edits(nb, func(e *ydoc.Editor) error { return e.SetSource(cell, source) })
}

// call returns the context of a client's call.
func (b *book) call(m Manners) context.Context {
	return With(origin.With(b.t.Context(), origin.Author{Client: "me", Call: 1}), m)
}

// edit makes an edit in a context, as a document does.
func (b *book) edit(ctx context.Context, fn func(*ydoc.Editor) error) error {
	return Retry(ctx, func() error {
		g := Of(ctx, "modify cells", b.nb, b.log, func() people.Company {
			if !b.joined.IsZero() {
				b.company.Known = people.KnownSince(b.joined)
			}
			return b.company
		})
		return g.Placed(b.log.By(origin.Of(ctx), func() error { return b.nb.Edit("modify cells", g.Around(fn)) }))
	})
}

func sets(cell, source string) func(*ydoc.Editor) error {
	return func(e *ydoc.Editor) error { return e.SetSource(cell, source) }
}

// Notebook and Settled make it a Document.
func (b *book) Notebook() *ydoc.Notebook { return b.nb }

func (b *book) Settled(context.Context) error {
	b.settled++
	return nil
}

var ada = people.Person{Name: "Ada", Username: "ada"}

// later waits.
func later(seconds float64) { time.Sleep(time.Duration(seconds * float64(time.Second))) }
