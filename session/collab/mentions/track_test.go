package mentions

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	anna  = 7
	other = 8 // an agent of another process
)

// desk is our notebook in a room with Anna's tab and another agent.
type desk struct {
	t       *testing.T
	book    *Book
	nb      *ydoc.Notebook
	tabs    map[uint64]*ydoc.Notebook
	tracker *Tracker

	mu     sync.Mutex
	caret  string // Anna's cell
	named  bool
	person string
	author string
	obeyed []Command
	obeys  bool
}

func (d *desk) Peers() []rtc.Peer { return nil }

func (d *desk) Named(client uint64) (name string, agent, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case client == anna && d.named:
		return d.person, false, true
	case client == other:
		return "Robot", true, true
	}
	return "", false, false
}

func (d *desk) company() people.Company {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := people.Place{Client: anna, Cell: d.caret, Index: -1}
	return people.Company{People: []people.Person{{Name: d.person, Username: "anna", Places: []people.Place{at}}}}
}

// inDesk runs a test in a synctest bubble.
func inDesk(t *testing.T, test func(t *testing.T, d *desk)) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t, nb: ydoc.NewNotebook(), named: true, person: "Anna", author: "c-1", tabs: map[uint64]*ydoc.Notebook{}}
		d.book = NewBook(func() []Name { return append(duet, Name{Text: "Cursor", Client: "c-2"}) })
		d.edit(d.nb, func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "old", Type: "markdown", Source: "@Duet of yesterday"}, ydoc.NewCell{ID: "a", Type: "markdown"}, ydoc.NewCell{ID: "code", Type: "code"})
			return err
		})
		go d.book.Run(t.Context())
		d.follow(nil)
		defer func() { d.tracker.Stop() }()
		test(t, d)
	})
}

func (d *desk) follow(before *Tracker) {
	d.tracker = d.book.Follow(Followed{
		Notebook: d.nb, Room: d, Path: func() jupyter.Path { return jupyter.MustPath("a.ipynb") }, Company: d.company,
		Author: func() string {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.author
		},
		Obey: func(c Command, _ Mention) bool {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.obeyed = append(d.obeyed, c)
			return d.obeys
		},
	}, before)
}

// set changes what the others see.
func (d *desk) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

func (d *desk) edit(nb *ydoc.Notebook, fn func(e *ydoc.Editor) error) {
	d.t.Helper()
	if err := nb.Edit("test", fn); err != nil {
		d.t.Fatal(err)
	}
}

// by edits the notebook as a tab.
func (d *desk) by(client uint64, fn func(e *ydoc.Editor) error) {
	d.t.Helper()
	tab := d.tabs[client]
	if tab == nil {
		tab = ydoc.NewNotebookWith(ydoc.Options{ClientID: client})
		d.tabs[client] = tab
	}
	pass := func(from, to *ydoc.Notebook) {
		d.t.Helper()
		vector, err := to.StateVector()
		if err != nil {
			d.t.Fatal(err)
		}
		update, err := from.Diff(vector)
		if err != nil {
			d.t.Fatal(err)
		}
		if err := to.Apply(update); err != nil {
			d.t.Fatal(err)
		}
	}
	pass(d.nb, tab)
	d.edit(tab, fn)
	pass(tab, d.nb)
}

// write replaces a cell's source at once as a tab, like pasting does.
func (d *desk) write(client uint64, cell, source string) {
	d.t.Helper()
	d.by(client, func(e *ydoc.Editor) error { return e.SetSource(cell, source) })
}

// types enters text at the end of a cell as Anna.
func (d *desk) types(cell, text string) {
	d.t.Helper()
	d.set(func() { d.caret = cell })
	for _, r := range text {
		c, _ := d.nb.Cell(cell)
		d.write(anna, cell, c.Source+string(r))
		time.Sleep(60 * time.Millisecond)
	}
}

// said returns the mentions that a client takes, in order.
func (d *desk) said(client string) (says []string) {
	for {
		m, ok := d.book.Take(Asks{Client: client})
		if !ok {
			return says
		}
		says = append(says, m.Says)
	}
}

func (d *desk) want(says ...string) {
	d.t.Helper()
	if got := d.said("c-1"); !slices.Equal(got, says) {
		d.t.Errorf("taken are %q, want %q", got, says)
	}
}

// A call counts once the caret has left its cell, or no key came for 3 s. It belongs to the client that takes it. Calls from
// before the join are not delivered.
func TestCallCountsWhenWritten(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.types("a", "@Duet fix the ax")
		time.Sleep(2 * time.Second)
		d.want()
		d.types("a", "is")
		time.Sleep(quiet + lookEvery)
		m, ok := d.book.Take(Asks{Client: "c-1"})
		must.True(t, ok, must.Sprint("after 3 s"))
		must.Eq(t, "fix the axis", m.Says, must.Sprint("after 3 s"))
		must.EqOp(t, Who{Name: "Anna", Username: "anna"}, m.Who, must.Sprint("after 3 s"))
		must.Eq(t, "a", m.Cell, must.Sprint("after 3 s"))
		must.Eq(t, "a.ipynb", m.Path.String(), must.Sprint("after 3 s"))
		if again := d.said("c-2"); again != nil {
			t.Errorf("another client gets %q, too", again)
		}
		d.types("code", "x = 1  # @Duet why?")
		d.set(func() { d.caret = "old" })
		time.Sleep(overtaken + lookEvery)
		d.want("why?")
	})
}

// A call counts with its last words, if they arrive after its caret has left the cell.
func TestCaretThatOvertakesText(t *testing.T) {
	inDesk(t, func(_ *testing.T, d *desk) {
		d.set(func() { d.caret = "old" })
		for _, text := range []string{"@Duet", "@Duet fix", "@Duet fix it"} {
			d.write(anna, "a", text)
			time.Sleep(2 * lookEvery)
			d.want()
		}
		time.Sleep(overtaken)
		d.want("fix it")
	})
}

// Outputs, text loaded from the file, text of an agent, deleted calls, and text of unidentified writers do not call an
// agent.
func TestCallsNobody(t *testing.T) {
	for name, does := range map[string]func(d *desk){
		"an output": func(d *desk) {
			d.by(anna, func(e *ydoc.Editor) error {
				return e.SetOutputs("code", []ydoc.Output{{"output_type": "stream", "name": "stdout", "text": "# @Duet fix it"}})
			})
		},
		"code that is no comment": func(d *desk) { d.write(anna, "code", "@Duet\ndef f(): pass") },
		"an agent":                func(d *desk) { d.write(other, "a", "@Duet fix it") },
		"ourselves":               func(d *desk) { d.edit(d.nb, func(e *ydoc.Editor) error { return e.SetSource("a", "@Duet fix it") }) },
		"a stranger":              func(d *desk) { d.write(99, "a", "@Duet fix it") },
		"a person of that name":   func(d *desk) { d.set(func() { d.person = "duet" }); d.write(anna, "a", "@Duet fix it") },
		"a deleted cell": func(d *desk) {
			d.write(anna, "a", "@Duet fix it")
			d.by(anna, func(e *ydoc.Editor) error { return e.Delete("a") })
		},
		"a cell that is deleted before it is taken": func(d *desk) {
			d.write(anna, "a", "@Duet fix it")
			time.Sleep(time.Minute)
			d.by(anna, func(e *ydoc.Editor) error { return e.Delete("a") })
		},
		"a call that is deleted": func(d *desk) {
			d.write(anna, "a", "@Duet fix it")
			time.Sleep(time.Minute)
			d.write(anna, "a", "")
		},
		"a copy of an old one": func(d *desk) { d.write(anna, "a", "@Duet of yesterday") },
		"an old one that goes elsewhere": func(d *desk) {
			d.by(anna, func(e *ydoc.Editor) error { return e.Delete("old") })
			d.write(anna, "a", "so @Duet of yesterday")
		},
		"an old one that is edited": func(d *desk) { d.write(anna, "old", "@Duet of the day before yesterday") },
	} {
		t.Run(name, func(t *testing.T) {
			inDesk(t, func(_ *testing.T, d *desk) {
				does(d)
				time.Sleep(time.Minute)
				d.want()
			})
		})
	}
}

// A writer that identifies itself later is waited for.
func TestNamedLater(t *testing.T) {
	inDesk(t, func(_ *testing.T, d *desk) {
		d.set(func() { d.named = false })
		d.write(anna, "a", "@Duet fix it")
		time.Sleep(10 * time.Second)
		d.want()
		d.set(func() { d.named = true })
		time.Sleep(overtaken + lookEvery)
		d.want("fix it")
	})
}

// Pasted twice, a call is one call, in one cell or in two; so it is when its cell is split, moved or merged before or after
// its delivery.
func TestPasted(t *testing.T) {
	for name, does := range map[string]func(d *desk, delivered func()){
		"twice in a cell": func(d *desk, delivered func()) { d.write(anna, "a", "@Duet fix it\n@Duet  fix it"); delivered() },
		"in two cells": func(d *desk, delivered func()) {
			d.write(anna, "a", "@Duet fix it")
			d.write(anna, "code", "# @Duet fix it")
			delivered()
		},
		"and its cell split": func(d *desk, delivered func()) {
			d.write(anna, "a", "text\n@Duet fix it")
			delivered()
			d.by(anna, func(e *ydoc.Editor) error {
				_, err := e.Insert(2, ydoc.NewCell{ID: "b", Type: "markdown", Source: "@Duet fix it"})
				return err
			})
			d.write(anna, "a", "text")
		},
		"and its cell cut and pasted": func(d *desk, delivered func()) {
			d.write(anna, "a", "@Duet fix it")
			delivered()
			d.by(anna, func(e *ydoc.Editor) error { return e.Delete("a") })
			d.by(anna, func(e *ydoc.Editor) error {
				_, err := e.Insert(0, ydoc.NewCell{ID: "b", Type: "markdown", Source: "@Duet fix it"})
				return err
			})
		},
		"and its cell merged": func(d *desk, delivered func()) {
			d.write(anna, "a", "@Duet fix it")
			delivered()
			d.by(anna, func(e *ydoc.Editor) error {
				if err := e.SetSource("old", "@Duet of yesterday\n\n@Duet fix it"); err != nil {
					return err
				}
				return e.Delete("a")
			})
		},
	} {
		for _, delivered := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, delivered before: %v", name, delivered), func(t *testing.T) {
				inDesk(t, func(_ *testing.T, d *desk) {
					does(d, func() {
						if delivered {
							time.Sleep(time.Minute)
							d.want("fix it")
						}
					})
					time.Sleep(time.Minute)
					if delivered {
						d.want()
					} else {
						d.want("fix it")
					}
				})
			})
		}
	}
}

// A copy that is then changed into another call counts as a call.
func TestCopyMadeAnother(t *testing.T) {
	inDesk(t, func(_ *testing.T, d *desk) {
		d.write(anna, "a", "@Duet of yesterday")
		d.write(anna, "a", "@Duet of yesterday, once more")
		time.Sleep(time.Minute)
		d.want("of yesterday, once more")
	})
}

// Edited after its delivery, a call is the same call with another text.
func TestEditedLater(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.write(anna, "a", "@Duet fix the axis")
		time.Sleep(quiet + lookEvery)
		d.want("fix the axis")
		d.write(anna, "a", "Oh, @Duet fix the y axis")
		time.Sleep(time.Minute)
		d.want()
		list := d.book.List(Asks{Client: "c-1"})
		must.SliceLen(t, 1, list, must.Sprint("listed"))
		test.Eq(t, "fix the y axis", list[0].Says, test.Sprint("listed"))
		test.True(t, list[0].Edited, test.Sprint("listed"))
		test.Eq(t, "c-1", list[0].Taken, test.Sprint("listed"))
		d.write(anna, "a", "Oh, @Duet fix the y axis\n@Duet and the title")
		time.Sleep(time.Minute)
		d.want("and the title")
	})
}

// A thousand calls in one paste are delivered as a few, the last of which counts the rest.
func TestThousandInOnePaste(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		var lines []string
		for i := range 1000 {
			lines = append(lines, fmt.Sprintf("@Duet do %d", i))
		}
		d.write(anna, "a", strings.Join(lines, "\n"))
		time.Sleep(time.Minute)
		list := d.book.List(Asks{Client: "c-1"})
		must.SliceLen(t, oneByOne, list, must.Sprint("listed"))
		test.Eq(t, 1000-oneByOne, list[oneByOne-1].More, test.Sprint("listed"))
	})
}

// Only the called client gets a call; Duet is a name of all clients.
func TestCalledByName(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.write(anna, "a", "@Cursor one\n@Duet two")
		time.Sleep(time.Minute)
		d.want("two")
		if got := d.said("c-2"); !slices.Equal(got, []string{"one"}) {
			t.Errorf("Cursor takes %q", got)
		}
	})
}

// Agents receive each other's calls only on request, and never their own.
func TestAgentsAmongThemselves(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.set(func() { d.author = "c-2" })
		d.edit(d.nb, func(e *ydoc.Editor) error { return e.SetSource("a", "@Duet from two") })
		d.write(other, "code", "# @Duet from another")
		time.Sleep(30 * time.Second)
		d.want()
		m, ok := d.book.Take(Asks{Client: "c-2", Agents: true})
		must.True(t, ok)
		test.Eq(t, "from another", m.Says)
		test.Eq(t, "Robot", m.Who.Name)
		m, ok = d.book.Take(Asks{Client: "c-1", Agents: true})
		must.True(t, ok)
		test.Eq(t, "from two", m.Says)
		test.Eq(t, "c-2", m.Who.Client)
	})
}

// A call whose room was lost while it was written, or before it was taken, is delivered once when the room is back.
func TestJoinedAfresh(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.write(anna, "a", "@Duet one")
		time.Sleep(time.Minute)
		d.write(anna, "code", "# @Duet two")
		time.Sleep(time.Minute)
		d.want("one", "two")
		d.types("a", "\n@Duet three")
		d.types("code", "\n# @Duet four")
		time.Sleep(time.Minute)
		d.types("a", "\n@Duet five")
		next := ydoc.NewNotebook()
		update, err := d.nb.Diff(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := next.Apply(update); err != nil {
			t.Fatal(err)
		}
		if err := next.Edit("lost", func(e *ydoc.Editor) error { return e.SetSource("code", "# @Duet two") }); err != nil {
			t.Fatal(err)
		}
		d.nb = next
		d.follow(d.tracker)
		time.Sleep(time.Minute)
		d.want("three", "five")
	})
}

// Commands to this program are not delivered, except those without an effect.
func TestCommands(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.set(func() { d.obeys = true })
		d.write(anna, "a", "@Duet hands off this notebook")
		time.Sleep(time.Minute)
		d.set(func() { d.obeys = false })
		d.write(anna, "code", "# @Duet go on")
		time.Sleep(time.Minute)
		d.want("go on")
		d.set(func() { d.obeys = true })
		d.write(anna, "a", "@Duet go on")
		time.Sleep(time.Minute)
		d.want()
		if !slices.Equal(d.obeyed, []Command{HandsOffNotebook, GoOn, GoOn}) {
			t.Errorf("obeyed: %v", d.obeyed)
		}
	})
}

// The mentions that a client took and did not answer are free again when it leaves.
func TestForget(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.write(anna, "a", "@Duet one\n@Duet two")
		time.Sleep(time.Minute)
		first, _ := d.book.Take(Asks{Client: "c-1"})
		d.book.Answered(first.ID)
		d.want("two")
		if _, _, err := d.book.Of("c-2", first.ID); err == nil {
			t.Error("another client may answer what was taken")
		}
		for _, id := range d.book.All() {
			d.book.Keep(id)
		}
		d.book.Forget("c-1")
		if got := d.said("c-2"); !slices.Equal(got, []string{"two"}) {
			t.Errorf("free again: %q", got)
		}
		// If a client leaves before it is certain to have a mention, the mention is free once that is decided.
		d.book.Forget("c-2")
		if got := d.said("c-3"); got != nil {
			t.Errorf("while it is decided: %q", got)
		}
		for _, id := range d.book.All() {
			d.book.Keep(id)
		}
		if got := d.said("c-3"); !slices.Equal(got, []string{"two"}) {
			t.Errorf("free again: %q", got)
		}
	})
}

// Only another process itself can release a mention that it has; mentions that it has answered are not listed.
func TestElsewhere(t *testing.T) {
	inDesk(t, func(t *testing.T, d *desk) {
		d.write(anna, "a", "@Duet one\n@Duet two")
		time.Sleep(time.Minute)
		ids := d.book.All()
		d.book.Lose(ids[0], "c-1", true) // c-1 does not have it
		d.book.Lose(ids[0], "", false)
		taken, _ := d.book.Take(Asks{Client: "c-1"})
		d.book.Lose(taken.ID, "c-1", false)
		d.want()
		if _, _, err := d.book.Of("c-2", ids[0]); err == nil {
			t.Error("answered here")
		}
		l := d.book.List(Asks{Client: "c-1"})
		must.SliceLen(t, 2, l)
		test.Eq(t, Elsewhere, l[0].Taken)
		test.Eq(t, Elsewhere, l[1].Taken)
		marks := map[string]bool{}
		for _, id := range ids {
			s, _ := d.book.Standing(id)
			marks[s.Mark] = true
		}
		must.MapLen(t, 2, marks)
		test.False(t, marks[""])
		d.book.Lose(ids[0], Elsewhere, true)
		d.book.Release(ids[1])
		d.book.Forget("c-1")
		d.want("two")
		if l := d.book.List(Asks{Client: "c-1"}); len(l) != 1 {
			t.Errorf("%+v", l)
		}
	})
}
