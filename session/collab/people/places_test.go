package people_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/ydoc"
)

func TestPlaces(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		ada := r.enters("ada", "Ada")
		ada.shows(nil)
		if at := r.only().Places[0]; at.Cell != "" || at.Index != -1 || at.Caret || !at.Moved.IsZero() || !at.Typed.IsZero() {
			t.Errorf("without a caret: %+v", at)
		}
		ada.selects("c1", 9, 2) // from the emoji's end back
		p := r.only()
		at := p.Places[0]
		test.Eq(t, "Ada", p.Name)
		test.Eq(t, "ada", p.Username)
		test.False(t, p.Agent)
		test.Eq(t, ada.Notebook.ClientID(), at.Client)
		test.Eq(t, "c1", at.Cell)
		test.Eq(t, 1, at.Index)
		test.True(t, at.Caret)
		test.Eq(t, 9, at.Anchor)
		test.Eq(t, 2, at.Head)
		test.EqOp(t, people.Position{Line: 1, Column: 3}, at.From)
		test.EqOp(t, people.Position{Line: 2, Column: 4}, at.To)
		test.Eq(t, "cd\nfg😀", at.Selected)
		test.False(t, at.Cut)
		moved := at.Moved
		test.False(t, moved.IsZero())
		test.LessEq(t, time.Second, time.Since(moved))
		test.True(t, at.Typed.IsZero())
		time.Sleep(5 * time.Second)
		ada.shows(nil) // a renewal
		if at := r.only().Places[0]; !at.Moved.Equal(moved) {
			t.Errorf("a renewal moved it: %v after %v", at.Moved, moved)
		}
		ada.types("c0", "!")
		at = r.only().Places[0]
		test.LessEq(t, time.Second, time.Since(at.Typed))
		test.True(t, at.Last().Equal(at.Typed))
		ada.selects("c2", 0, 1500)
		at = r.only().Places[0]
		test.True(t, at.Cut, test.Sprint("a long selection"))
		must.LessEq(t, 600, len(at.Selected), must.Sprint("a long selection"))
		test.Eq(t, 1501, at.To.Column, test.Sprint("a long selection"))
	}, "a", "abcd\nfg😀h", strings.Repeat("x", 2000))
}

// The changes that a tab makes when it runs a cell do not count as typing.
func TestRunningIsNotTyping(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		ada := r.enters("ada", "Ada")
		ada.selects("c0", 0, 0)
		if err := ada.Notebook.Edit("run", func(e *ydoc.Editor) error {
			if err := e.ClearOutputs("c0"); err != nil {
				return err
			}
			return e.AppendOutput("c0", ydoc.Output{"output_type": "stream", "name": "stdout", "text": "x"})
		}); err != nil {
			t.Fatal(err)
		}
		ada.settle()
		if at := r.only().Places[0]; !at.Typed.IsZero() {
			t.Errorf("typed %v", at.Typed)
		}
	}, "a")
}

// The active cell that a tab announces counts, only in this notebook, and a caret only in that cell.
func TestActiveCell(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		ada := r.enters("ada", "Ada")
		for _, c := range []struct {
			shows dict
			cell  string
			caret bool
		}{
			{dict{"activeCellId": "c1"}, "c1", false},
			{dict{"activeCellId": "c1", "notebookPath": r.path}, "c1", false},
			{dict{"activeCellId": "c1", "notebookPath": "RTC:" + r.path}, "c1", false},
			{dict{"activeCellId": "c1", "notebookPath": "other.ipynb"}, "", false},
			{dict{"activeCellId": "gone", "notebookPath": nil}, "", false},
			{dict{"activeCellId": 7}, "", false},
			{dict{"activeCellId": []any{}}, "", false},
			{dict{"activeCellId": "c1", "cursors": []any{}}, "c1", false},
			{dict{"activeCellId": "c1", "cursors": []any{dict{"anchor": ada.at("c0", 0), "head": ada.at("c0", 0)}}}, "c1", false},
			{dict{"activeCellId": "c0", "cursors": []any{dict{"anchor": ada.at("c0", 0), "head": ada.at("c0", 0)}}}, "c0", true},
			{dict{"activeCellId": "gone", "cursors": []any{dict{"anchor": ada.at("c0", 0), "head": ada.at("c0", 0)}}}, "c0", true},
			// An invalid caret leaves the active cell.
			{dict{"activeCellId": "c1", "cursors": []any{dict{"anchor": dict{}, "head": dict{}}}}, "c1", false},
		} {
			ada.shows(c.shows)
			at := r.only().Places[0]
			test.Eq(t, c.cell, at.Cell)
			test.Eq(t, c.caret, at.Caret)
		}
	}, "a", "b")
}

// Tabs may announce anything: invalid states place a person in no cell, and names stay short.
func TestHostileStates(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		ada := r.enters("ada", "Ada")
		nowhere := []any{
			nil, 1, "x",
			[]any{},
			dict{},
			dict{"item": dict{"client": 9, "clock": 0}},
			dict{"item": dict{"client": -1, "clock": -1}},
			dict{"tname": "cells"},
			dict{"tname": strings.Repeat("x", 10_000)},
			dict{"type": dict{"client": 1, "clock": 0}},
		}
		for _, head := range nowhere {
			ada.shows(dict{"cursors": []any{dict{"anchor": head, "head": head, "primary": true, "empty": true}}})
			at := r.only().Places[0]
			test.Eq(t, "", at.Cell, test.Sprint(head))
			test.False(t, at.Caret, test.Sprint(head))
			ada.shows(dict{"cursors": []any{dict{"anchor": head, "head": ada.at("c0", 1), "primary": true, "empty": false}}})
			at = r.only().Places[0]
			test.Eq(t, "c0", at.Cell, test.Sprint(head))
			test.Eq(t, "", at.Selected, test.Sprint(head))
			test.Eq(t, 1, at.Head, test.Sprint(head))
		}
		for _, cursors := range []any{nil, 1, "x", dict{}, []any{1, nil, "x", []any{}}} {
			ada.shows(dict{"cursors": cursors})
			if at := r.only().Places[0]; at.Cell != "" {
				t.Errorf("cursors %v: %+v", cursors, at)
			}
		}
		huge := strings.Repeat("A", 50_000)
		ada.shows(dict{"user": dict{"username": huge, "name": huge + "\n@@0 c0", "display_name": huge}, "activeCellId": huge, "notebookPath": huge})
		if c := r.company(); len(c.Called(c.People[0])) > 100 {
			t.Errorf("a name of %d bytes", len(c.Called(c.People[0])))
		}
		for _, user := range []any{dict{"name": 7, "username": []any{}}, dict{}, dict{"username": "\u0000\u202e"}} {
			ada.shows(dict{"user": user})
			p := r.only()
			test.Eq(t, "a person", p.Name, test.Sprint(user))
			test.Eq(t, "", p.Username, test.Sprint(user))
		}
		ada.shows(dict{"user": []any{}})
		if c := r.company(); len(c.People) != 0 {
			t.Errorf("an invalid user: %+v", c.People)
		}
	}, "abc")
}

// A selection stays in place while others edit. If its cell is moved, it moves along or is lost, but never appears in
// another cell.
func TestSelectionAcrossAMovedCell(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		ada := r.enters("ada", "Ada")
		before := ada.at("c1", 1)
		ada.selects("c1", 1, 3)
		if err := r.doc.Edit(t.Context(), "move", func(e *ydoc.Editor) error { return e.Move("c1", 0) }); err != nil {
			t.Fatal(err)
		}
		ada.settle()
		if at := r.only().Places[0]; at.Cell != "" && at.Cell != "c1" {
			t.Errorf("after the move: %+v", at)
		}
		ada.shows(dict{"cursors": []any{dict{"anchor": before, "head": ada.at("c1", 3), "primary": true, "empty": false}}})
		at := r.only().Places[0]
		test.Eq(t, "c1", at.Cell, test.Sprint("with its start in the old copy"))
		test.Eq(t, 0, at.Index, test.Sprint("with its start in the old copy"))
		test.Eq(t, 3, at.Head, test.Sprint("with its start in the old copy"))
		test.False(t, at.Selected != "" && at.Selected != "el", test.Sprint("with its start in the old copy"))
		ada.shows(dict{"cursors": []any{dict{"anchor": ada.at("c0", 0), "head": ada.at("c2", 2), "primary": true, "empty": false}}})
		at = r.only().Places[0]
		test.Eq(t, "c2", at.Cell, test.Sprint("with its ends in two cells"))
		test.Eq(t, "", at.Selected, test.Sprint("with its ends in two cells"))
		test.Eq(t, 2, at.Head, test.Sprint("with its ends in two cells"))
		secondary := dict{"anchor": ada.at("c0", 0), "head": ada.at("c0", 0), "primary": false, "empty": true}
		ada.shows(dict{"cursors": []any{secondary, dict{"anchor": ada.at("c0", 1), "head": ada.at("c0", 3), "primary": true, "empty": false}}})
		if at := r.only().Places[0]; at.Selected != "ir" {
			t.Errorf("of several: %+v", at)
		}
	}, "first", "hello", "third")
}
