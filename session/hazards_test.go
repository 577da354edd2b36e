package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// The ways in which a careless client corrupts a shared notebook, or loses its content, and the test that this program does
// not (or reports it):
//
//	an old replica meets another history    rtc: TestOtherSessionIsDiscarded, TestForgottenHistoryIsDiscarded
//	two initialisations                     TestColdNotebookIsMadeOnce
//	a malformed cell stops saving           TestMalformedCellIsReported
//	two rooms for one file                  TestAliasesOpenOneDocument
//	an escaped colon in the room's id       rtc: TestJoinGivesTheWholeNotebook
//	writing before the first sync           rtc: TestNothingButSync1BeforeSync2
//	a client id used twice                  TestReplicasHaveIDsOfTheirOwn
//	a gap in the updates                    rtc: TestEveryUpdateArrivesInOrder
//	offsets inside surrogate pairs          ydoc's tests of texts
//	whole sources replaced                  TestCaretSurvivesAnEdit
//	outputs changed but at the end          ydoc's and the writer's tests of outputs
//	deleting the cell that somebody is in   TestPeopleAreSeenInTheirCells
//	no autosave flag in our awareness       TestAutosaveIsThePeoples
//	success without effect                  TestReadOnlyFileIsReported, TestDeletedFileIsReported, TestFileChanges
//	the last second                         TestContinuousEditsAreSaved, TestEndSavesAndLeaves
//	stop_on_error                           session/kernel's tests
//
// The server gives an empty notebook its first cell, and every client that opens it at the same time sees the same cell.
func TestColdNotebookIsMadeOnce(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Write(t, s.Name(t, ".ipynb"), `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
		docs := make([]*session.Document, 6)
		var wg sync.WaitGroup
		for i := range docs {
			m := sessiontest.Manager(t, s, session.Config{})
			wg.Go(func() {
				d, err := m.Open(t.Context(), jupyter.MustPath(path))
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				docs[i] = d
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
		for i, d := range docs {
			defer d.Release()
			sessiontest.AppendCell(t, d, strings.Repeat("x", i+1))
		}
		for _, d := range docs {
			sessiontest.Eventually(t, "everybody has the first cell and one of each", func() bool { return d.Notebook().Len() == 1+len(docs) })
		}
	})
}

// The server can no longer write a notebook with this cell, does not report that, and forgets all edits when the room is
// left.
func TestMalformedCellIsReported(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Start(t) // the room stays broken
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		insertPlainCell(t, sessiontest.PersonIn(t, m.Servers().Documents, path))
		sessiontest.Eventually(t, "the cell is in the room", func() bool { return d.Notebook().Len() == 2 })
		if err := d.Edit(t.Context(), "edit", func(e *ydoc.Editor) error { return e.SetSource("c0", "x = 2") }); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it is said to be unsaved", func() bool { return strings.Contains(d.Unsaved(), "malformed cell") })
		d.Release()
		_, ok, err := m.End(t.Context(), jupyter.MustPath(path))
		must.True(t, ok, must.Sprint("end"))
		must.Error(t, err, must.Sprint("end"))
		test.StrContains(t, err.Error(), "not saved", test.Sprint("end"))
	})
}

// A full disk is reported as the possible reason, and a document that is left without its edits in a file is reported as
// unsaved.
func TestUnwrittenFileIsReported(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		s.Fake.Rooms.FailSaves(true)
		if err := d.Edit(t.Context(), "edit", func(e *ydoc.Editor) error { return e.SetSource("c0", "x = 2") }); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it is said to be unsaved", func() bool {
			return strings.Contains(d.Unsaved(), "the Jupyter server's disk may be full")
		})
		d.Release()
		_, ok, err := m.End(t.Context(), jupyter.MustPath(path))
		must.True(t, ok, must.Sprint("end"))
		test.True(t, errors.As(err, new(*filesync.UnsavedError)), test.Sprint("end"))
	})
}

// Each spelling of a path would be a separate room, and the rooms would overwrite each other's file.
func TestAliasesOpenOneDocument(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d := sessiontest.Open(t, m, path)
		for _, alias := range []string{"/" + path, "//" + path, "./" + path, path + "/", "/./" + path} {
			if again := sessiontest.Open(t, m, alias); again != d {
				t.Errorf("%q opens another document", alias)
			}
		}
		if _, err := jupyter.ParsePath("x/../" + path); err == nil {
			t.Error("a path with .. in it is taken")
		}
	})
}

func TestReplicasHaveIDsOfTheirOwn(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, path := sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, "x = 1")
		seen := make(map[uint64]bool)
		for range 3 {
			d, err := m.Open(t.Context(), jupyter.MustPath(path))
			if err != nil {
				t.Fatal(err)
			}
			id := d.Notebook().ClientID()
			test.NotEq(t, 0, id)
			test.False(t, seen[id])
			seen[id] = true
			d.Release()
			if _, _, err := m.End(t.Context(), jupyter.MustPath(path)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A caret in a source stays with its character while the source is rewritten around it.
func TestCaretSurvivesAnEdit(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "first = 1\nsecond = 2\nthird = 3")
		d := sessiontest.Open(t, m, path)
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		caret, err := p.Notebook.RelativePosition("c0", len("first = 1\nsec"))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Edit(t.Context(), "rewrite", func(e *ydoc.Editor) error {
			return e.SetSource("c0", "# é😀\nfirst = 10\nsecond = 2\nthird = 30")
		}); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the person sees the edit", func() bool {
			c, _ := p.Notebook.Cell("c0")
			return strings.HasSuffix(c.Source, "30")
		})
		id, at, ok := p.Notebook.ResolvePosition(caret)
		want := len("# é") - 1 + 2 + len("\nfirst = 10\nsec")
		must.True(t, ok)
		test.Eq(t, "c0", id)
		test.Eq(t, want, at)
	})
}

// A client that wants to delete or rewrite a cell can see who is in it.
func TestPeopleAreSeenInTheirCells(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "a = 1", "b = 2")
		d := sessiontest.Open(t, m, path)
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		pos, err := p.Notebook.RelativePosition("c1", 3)
		if err != nil {
			t.Fatal(err)
		}
		p.Show(map[string]any{
			"user":    map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada L", "initials": "AL", "color": "#888"},
			"cursors": sessiontest.Caret(pos),
		})
		sessiontest.Eventually(t, "Ada is seen in the second cell", func() bool {
			who := d.People()
			return len(who) == 1 && who[0] == session.Person{Name: "Ada L", CellID: "c1", Index: 1, Offset: 3, Caret: true}
		})
		d.Point(sessiontest.AsClient(t.Context()), "c0", 5)
		sessiontest.Eventually(t, "Ada sees the agent in the first", func() bool {
			for _, st := range p.Seen.Peers() {
				if c := st.Cursors(); len(c) == 1 {
					id, at, ok := p.Notebook.ResolvePosition(c[0].Head)
					return ok && id == "c0" && at == 5
				}
			}
			return false
		})
	})
}

// The server saves by itself as long as any state in the room asks for it, so ours must not if the people have switched
// autosave off; and we do not request saves either.
func TestAutosaveIsThePeoples(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d := sessiontest.Open(t, m, path)
		p := sessiontest.PersonIn(t, m.Servers().Documents, path)
		state := switchesAutosaveOff(t, p, d)
		sessiontest.AppendCell(t, d, "later = True")
		time.Sleep(3 * time.Second) // longer than the server's debounce and than our own pace
		if sessiontest.FileHas(s, path, "later") {
			t.Error("the file was written though the people had switched autosave off")
		}
		state["autosave"] = true
		p.Show(state)
		sessiontest.Eventually(t, "the agent is heard to ask for saves again", func() bool {
			return slices.ContainsFunc(p.Seen.Peers(), func(st awareness.State) bool {
				return st.ClientID == d.Notebook().ClientID() && st.Autosave()
			})
		})
		sessiontest.AppendCell(t, d, "now = True")
		sessiontest.Eventually(t, "the file is written", func() bool {
			return sessiontest.FileHas(s, path, "now = True") && sessiontest.FileHas(s, path, "later = True")
		})
	})
}

// Until it is known whether the people in a room have switched autosave off, no saves are requested.
func TestAutosaveIsNotAskedForTooSoon(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		p := sessiontest.PersonIn(t, m.Servers().Documents, path) // that has not announced itself yet
		sessiontest.Open(t, m, path)
		sessiontest.Eventually(t, "the agent is seen", func() bool { return len(p.Seen.Peers()) > 0 })
		time.Sleep(15 * time.Second) // JupyterLab announces its people that often
		if asksForSaves(p) {
			t.Error("the agent asks for saves before anybody can have said whether they want them")
		}
		time.Sleep(15 * time.Second)
		if !asksForSaves(p) {
			t.Error("nobody is there, and the agent does not ask for saves")
		}
	})
}

// A room is left without a save if its people have switched autosave off: the save would write their unsaved edits.
func TestLeavingKeepsAutosaveOff(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		for _, edits := range []bool{false, true} {
			d, err := m.Open(t.Context(), jupyter.MustPath(path))
			if err != nil {
				t.Fatal(err)
			}
			p := sessiontest.PersonIn(t, m.Servers().Documents, path)
			switchesAutosaveOff(t, p, d)
			if err := p.Notebook.Edit("type", func(e *ydoc.Editor) error {
				_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "typed = True"})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			sessiontest.Eventually(t, "it is seen", func() bool {
				c, ok := d.Notebook().CellAt(0)
				return ok && c.Source == "typed = True"
			})
			if edits {
				sessiontest.AppendCell(t, d, "agent = True")
			}
			d.Release()
			_, _, err = m.End(t.Context(), jupyter.MustPath(path))
			var unsaved *filesync.UnsavedError
			test.Eq(t, errors.As(err, &unsaved), edits)
			test.False(t, edits && !strings.Contains(err.Error(), "autosave"))
			time.Sleep(2 * time.Second)
			test.False(t, sessiontest.FileHas(s, path, "typed"), test.Sprint("the file was written though the people had switched autosave off"))
			test.False(t, sessiontest.FileHas(s, path, "agent"), test.Sprint("the file was written though the people had switched autosave off"))
		}
	})
}

// The server waits for a second without edits before it saves, and forgets unsaved edits when it stops.
func TestContinuousEditsAreSaved(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d := sessiontest.Open(t, m, path)
		id := sessiontest.AppendCell(t, d, "going = 0")
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := d.Edit(ctx, "go on", func(e *ydoc.Editor) error {
					return e.SetSource(id, "going = "+strings.Repeat("1", 1+i%50))
				}); err != nil && ctx.Err() == nil {
					t.Errorf("edit: %v", err)
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
		sessiontest.Eventually(t, "the file has an edit while they go on", func() bool { return sessiontest.FileHas(s, path, "going = 1") })
		stop()
		wg.Wait()
	})
}
