package editguard

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/ydoc"
)

// Edits that would disturb a cell in which a person types are refused until they pause; other cells are free.
func TestBusy(t *testing.T) {
	for name, fn := range map[string]func(*ydoc.Editor) error{
		"write":          sets("a", "mine"),
		"run":            func(e *ydoc.Editor) error { return e.StartRun("a") },
		"move":           func(e *ydoc.Editor) error { return e.Move("a", 1) },
		"delete":         func(e *ydoc.Editor) error { return e.Delete("a") },
		"type":           func(e *ydoc.Editor) error { return e.SetType("a", ydoc.Markdown) },
		"among others":   func(e *ydoc.Editor) error { return errors.Join(e.SetSource("b", "z"), e.ClearOutputs("a")) },
		"other metadata": func(e *ydoc.Editor) error { return e.SetCellMetadata("a", "k", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBook(t)
				tab := b.joins(2, ada)
				b.types(tab, "a", "x = 1 + axis")
				later(3)
				b.types(tab, "a", "x = 1 + axis =")
				later(1.25)
				rev := b.nb.Revision()
				err := b.edit(b.call(Manners{}), fn)
				var busy *BusyError
				must.True(t, errors.As(err, &busy))
				must.Eq(t, "a", busy.Cell)
				must.Eq(t, 0, busy.Index)
				must.Eq(t, "Ada", busy.Who)
				must.Eq(t, rev, b.nb.Revision())
				for _, want := range []string{`busy_human: Ada is typing in cell 0 (id "a"), since 4.2 s, last key 1.2 s ago: "+ axis`, "nothing was written: work elsewhere, or make the same call again later"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q is not in %q", want, err)
					}
				}
				if err := b.edit(b.call(Manners{}), sets("b", "elsewhere")); err != nil {
					t.Error(err)
				}
				later(3.75)
				if err := b.edit(b.call(Manners{}), fn); err != nil {
					t.Errorf("when they have paused: %v", err)
				}
			})
		})
	}
}

// A call may wait, at most for its total time, or force.
func TestManners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		tab := b.joins(2, ada)
		b.types(tab, "a", "x = 2")
		if err := b.edit(b.call(Manners{Force: true}), sets("a", "forced")); err != nil {
			t.Error(err)
		}
		b.types(tab, "a", "x = 3")
		began, told := time.Now(), 0
		time.AfterFunc(2*time.Second, func() { b.types(tab, "a", "x = 34") })
		waits := b.call(Manners{Wait: 10 * time.Second, Tell: func(_ context.Context, message string) {
			if told++; message != `Ada is typing in cell 0 (id "a")` {
				t.Error(message)
			}
		}})
		err := b.edit(waits, sets("a", "waited"))
		must.NoError(t, err)
		test.Eq(t, 7*time.Second, time.Since(began))
		test.GreaterEq(t, 7, told)
		b.types(tab, "a", "x = 5")
		began = time.Now()
		var busy *BusyError
		err = b.edit(waits, sets("a", "in vain"))
		must.True(t, errors.As(err, &busy))
		test.Eq(t, 3*time.Second, time.Since(began))
		test.StrContains(t, err.Error(), "did not pause within 10s")
		ctx, stop := context.WithTimeout(b.call(Manners{Wait: time.Minute}), time.Second)
		defer stop()
		if err := b.edit(ctx, sets("a", "cut off")); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		// The person leaves during the wait.
		b.types(tab, "a", "x = 6")
		began = time.Now()
		leaves := func(context.Context, string) {
			if time.Since(began) > 0 {
				b.company = people.Company{}
			}
		}
		err = b.edit(b.call(Manners{Wait: time.Minute, Tell: leaves}), sets("a", "gone"))
		must.NoError(t, err)
		test.Eq(t, 2*time.Second, time.Since(began))
	})
}

// A cell into which a person has just put the caret is not replaced: the first key would be lost with its text.
func TestCaretArrives(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(*ydoc.Editor) error
		at    people.Place
		m     Manners
		after float64 // seconds
		busy  bool
	}{
		"deleted":         {edit: func(e *ydoc.Editor) error { return e.Delete("a") }, busy: true},
		"moved":           {edit: func(e *ydoc.Editor) error { return e.Move("a", 1) }, busy: true},
		"another type":    {edit: func(e *ydoc.Editor) error { return e.SetType("a", ydoc.Markdown) }, busy: true},
		"written":         {edit: sets("a", "x = 2")},
		"another cell":    {edit: func(e *ydoc.Editor) error { return e.Delete("b") }},
		"stayed for long": {edit: func(e *ydoc.Editor) error { return e.Delete("a") }, after: 5},
		"forced":          {edit: func(e *ydoc.Editor) error { return e.Delete("a") }, m: Manners{Force: true}},
		"waited for":      {edit: func(e *ydoc.Editor) error { return e.Delete("a") }, m: Manners{Wait: 10 * time.Second}},
		"no caret":        {edit: func(e *ydoc.Editor) error { return e.Delete("a") }, at: people.Place{Client: 2, Cell: "a"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBook(t)
			b.joins(2, ada)
			if c.at.Cell == "" {
				c.at = people.Place{Client: 2, Cell: "a", Caret: true}
			}
			c.at.Moved = time.Now()
			b.company.People[0].Places[0] = c.at
			later(1.25 + c.after)
			err := b.edit(b.call(c.m), c.edit)
			if !c.busy {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return
			}
			want := `busy_human: Ada moved the caret into cell 0 (id "a"), 1.2 s ago; nothing was written: `
			must.Error(t, err, must.Sprint(name))
			test.StrHasPrefix(t, want, err.Error(), test.Sprint(name))
		})
	}
}

// People who do not type, have left or cannot be identified, and agents, do not block an edit.
func TestNobodyIsBusy(t *testing.T) {
	agent := people.Person{Name: "Bot", Username: "bot", Agent: true}
	for name, c := range map[string]struct {
		who people.Person
		do  func(b *book, tab *ydoc.Notebook)
	}{
		"a caret": {ada, func(b *book, _ *ydoc.Notebook) {
			b.company.People[0].Places[0] = people.Place{Client: 2, Cell: "a", Caret: true, Moved: time.Now()}
		}},
		"their run": {ada, func(b *book, tab *ydoc.Notebook) {
			b.edits(tab, func(e *ydoc.Editor) error {
				return errors.Join(e.StartRun("a"), e.AppendStream("a", "stdout", "1"), e.FinishRun("a", nil))
			})
		}},
		"their move":    {ada, func(b *book, tab *ydoc.Notebook) { b.edits(tab, func(e *ydoc.Editor) error { return e.Move("a", 1) }) }},
		"another cell":  {ada, func(b *book, tab *ydoc.Notebook) { b.types(tab, "b", "typed") }},
		"another agent": {agent, func(b *book, tab *ydoc.Notebook) { b.types(tab, "a", "written") }},
		"left": {ada, func(b *book, tab *ydoc.Notebook) {
			b.types(tab, "a", "typed")
			b.company.People = nil
		}},
		"an agent that says for whom it writes": {agent, func(b *book, tab *ydoc.Notebook) {
			b.types(tab, "a", "written")
			b.company.People = nil
		}},
		"an agent's program": {agent, func(b *book, tab *ydoc.Notebook) {
			b.types(tab, "a", "written")
			b.company.People[0].Places[0] = people.Place{Client: 9, Replica: 2}
			delete(b.named, 2)
		}},
		"a paste":      {ada, func(b *book, tab *ydoc.Notebook) { b.types(tab, "a", strings.Repeat("df = df.dropna()\n", 5)) }},
		"this program": {ada, func(b *book, _ *ydoc.Notebook) { b.types(b.nb, "a", "by itself") }},
		"another client": {ada, func(b *book, _ *ydoc.Notebook) {
			if err := b.edit(b.call(Manners{}), sets("a", "mine")); err != nil {
				b.t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBook(t)
				c.do(b, b.joins(2, c.who))
				if err := b.edit(b.call(Manners{}), sets("a", "mine")); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A client that awareness has not described counts as a typing person until it does; so does the author of a deletion before
// all are known.
func TestSomebody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		tab := b.joins(2, ada)
		b.company, b.named = people.Company{}, nil
		busy := func(known time.Duration, source string) {
			t.Helper()
			b.company.Known.In = known
			b.types(tab, "a", source)
			later(0.25)
			var busy *BusyError
			err := b.edit(b.call(Manners{}), sets("a", "mine"))
			must.True(t, errors.As(err, &busy), must.Sprint(source))
			test.Eq(t, "a person", busy.Who, test.Sprint(source))
			if err := b.edit(b.call(Manners{}), sets("b", source)); err != nil {
				t.Error(err)
			}
		}
		busy(15*time.Second, "x = 12")
		busy(0, "x = 123")
		later(5)
		busy(10*time.Second, "x = 12")
	})
}

// A paste in a cell in which a person types, and the keys after it, count as typing.
func TestPasteAmongKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		tab := b.joins(2, ada)
		pasted := strings.Repeat("df = df.dropna()\n", 5)
		b.types(tab, "a", pasted)
		later(1)
		b.types(tab, "a", pasted+"d")
		if err := b.edit(b.call(Manners{}), sets("a", "mine")); !errors.As(err, new(*BusyError)) {
			t.Error(err)
		}
	})
}

// Right after a join, an edit of text that others may be typing waits until their keys would have been seen, unless no other
// client has written yet, the edit only adds cells, or it is forced.
func TestRightAfterJoin(t *testing.T) {
	for name, c := range map[string]struct {
		alone, types bool
		manners      Manners
		fn           func(*ydoc.Editor) error
		took         time.Duration
	}{
		"nobody types":  {fn: sets("a", "mine"), took: 750 * time.Millisecond},
		"somebody does": {fn: sets("a", "mine"), types: true, manners: Manners{Wait: time.Minute}, took: 5250 * time.Millisecond},
		"alone":         {fn: sets("a", "mine"), alone: true},
		"forced":        {fn: sets("a", "mine"), manners: Manners{Force: true}},
		"a new cell": {fn: func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBook(t)
				b.edits(b.joins(3, ada), func(e *ydoc.Editor) error { // as the server, from the file
					_, err := e.Insert(2, ydoc.NewCell{ID: "c", Type: ydoc.Code})
					return err
				})
				if !c.alone {
					b.types(b.joins(4, ada), "b", "before")
				}
				tab := b.joins(5, ada)
				b.joined = time.Now()
				later(0.25)
				if c.types {
					time.AfterFunc(250*time.Millisecond, func() { b.types(tab, "a", "x = 12") })
				}
				began := time.Now()
				err := b.edit(b.call(c.manners), c.fn)
				must.NoError(t, err)
				test.Eq(t, c.took, time.Since(began))
			})
		})
	}
}

// A deletion belongs to the person whose caret is in the cell and moved at that time.
func TestDeletedText(t *testing.T) {
	for name, c := range map[string]struct {
		place people.Place
		busy  bool
	}{
		"there":         {people.Place{Cell: "a", Caret: true}, true},
		"elsewhere":     {people.Place{Cell: "b", Caret: true}, false},
		"without caret": {people.Place{Cell: "a"}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBook(t)
			tab := b.joins(2, ada)
			b.types(tab, "a", "x")
			c.place.Client, c.place.Moved = 2, time.Now()
			b.company.People[0].Places[0] = c.place
			later(3)
			if err := b.edit(b.call(Manners{}), sets("a", "mine")); errors.As(err, new(*BusyError)) != c.busy {
				t.Errorf("%s: %v", name, err)
			}
			b.company.People[0].Places[0].Moved = time.Now()
			if err := b.edit(b.call(Manners{}), sets("a", "mine")); err != nil {
				t.Errorf("%s: a caret that moved later: %v", name, err)
			}
		})
	}
}

// Edits outside of calls, such as the outputs of runs, are never refused.
func TestNoCall(t *testing.T) {
	b := newBook(t)
	b.types(b.joins(2, ada), "a", "typed")
	if err := HandsOff(t.Context(), b, "", Who{"Ada", "ada"}); err != nil {
		t.Fatal(err)
	}
	if err := b.edit(t.Context(), sets("a", "mine")); err != nil {
		t.Error(err)
	}
	ends := func(e *ydoc.Editor) error {
		return errors.Join(e.AppendStream("a", "stdout", "1"), e.FinishRun("a", nil))
	}
	if err := b.edit(b.call(Manners{}), ends); err != nil {
		t.Errorf("the end of a run: %v", err)
	}
}
