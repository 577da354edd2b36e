package ydoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestRevisionsChangeExactlyWhenContentDoes(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0, NewCell{ID: "c", Type: Code, Source: "x"}, NewCell{ID: "d", Type: Code})
	changes := map[string]struct {
		fn         func(e *Editor) error
		cell, book bool
	}{
		"same source":      {func(e *Editor) error { return e.SetSource("c", "x") }, false, false},
		"same metadata":    {func(e *Editor) error { _ = e.SetCellMetadata("c", "k", 1); return e.DeleteCellMetadata("c", "k") }, false, false},
		"there and back":   {func(e *Editor) error { _ = e.SetSource("c", "y"); return e.SetSource("c", "x") }, false, false},
		"moved there":      {func(e *Editor) error { _ = e.Move("c", 1); return e.Move("c", 0) }, false, false},
		"retyped back":     {func(e *Editor) error { _ = e.SetType("c", Raw); return e.SetType("c", Code) }, false, false},
		"no outputs":       {func(e *Editor) error { return e.ClearOutputs("c") }, false, false},
		"idle":             {func(e *Editor) error { return e.FinishRun("c", nil) }, false, false},
		"another cell":     {func(e *Editor) error { return e.SetSource("d", "z") }, false, true},
		"notebook":         {func(e *Editor) error { return e.SetMetadata("k", "v") }, false, true},
		"moved":            {func(e *Editor) error { return e.Move("c", 1) }, false, true},
		"source":           {func(e *Editor) error { return e.SetSource("c", "xy") }, true, true},
		"metadata":         {func(e *Editor) error { return e.SetCellMetadata("c", "k", []any{1}) }, true, true},
		"state":            {func(e *Editor) error { return e.StartRun("c") }, true, true},
		"stream":           {func(e *Editor) error { return e.AppendStream("c", "stdout", "a") }, true, true},
		"stream goes on":   {func(e *Editor) error { return e.AppendStream("c", "stdout", "a") }, true, true},
		"outputs replaced": {func(e *Editor) error { return e.SetOutputs("c", nil) }, true, true},
		"type":             {func(e *Editor) error { return e.SetType("c", Raw) }, true, true},
	}
	for _, name := range []string{
		"same source", "same metadata", "there and back", "moved there", "retyped back", "no outputs", "idle", "another cell",
		"notebook", "moved", "source", "metadata", "state", "stream", "stream goes on", "outputs replaced", "type",
	} {
		c := changes[name]
		cell, book, there := revisionOf(t, a, "c"), a.Revision(), b.Revision()
		edit(t, a, c.fn)
		cell2, book2 := revisionOf(t, a, "c"), a.Revision()
		if (cell2 != cell) != c.cell {
			t.Errorf("%s: the cell's revision went from %d to %d", name, cell, cell2)
		}
		test.Eq(t, c.book, book2 != book, test.Sprint(name))
		test.Eq(t, c.book, b.Revision() != there, test.Sprint(name))
		test.LessEq(t, book2, cell2, test.Sprint(name))
		test.GreaterEq(t, cell, cell2, test.Sprint(name))
		test.GreaterEq(t, book, book2, test.Sprint(name))
		test.Eq(t, cell2, revisionOf(t, a, "c"), test.Sprint(name))
		test.Eq(t, book2, a.Revision(), test.Sprint(name))
	}
}

func TestRewriteCarriesAChangeOver(t *testing.T) {
	a, b := pair(t)
	forward(t, b.Doc, a.Doc)
	insert(t, a, 0, NewCell{ID: "c", Type: Code, Source: "one\ntwo\nthree\n"})
	seen := revisionOf(t, a, "c")
	book := a.Revision()
	edit(t, b, func(e *Editor) error { return e.SetSource("c", "ONE\ntwo\nthree\n") })
	edit(t, a, func(e *Editor) error { return e.AppendStream("c", "stdout", "x") }) // another revision, the same source
	edit(t, a, func(e *Editor) error { return e.rewrite("c", seen, "one\ntwo\nTHREE\n") })
	if c, _ := b.Cell("c"); c.Source != "ONE\ntwo\nTHREE\n" {
		t.Errorf("%q", c.Source)
	}
	sv := stateVector(t, a.Doc)
	err := a.Edit("again", func(e *Editor) error { return e.rewrite("c", seen, "first\ntwo\nthree\n") })
	var conflict *ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("%v", err)
	}
	test.Eq(t, "c", conflict.ID)
	test.StrContains(t, conflict.Theirs, "+ONE")
	test.StrContains(t, conflict.Mine, "+first")
	if !slices.Equal(sv, stateVector(t, a.Doc)) {
		t.Error("something was written in spite of a conflict")
	}
	// A revision of the document is valid too, and a moved cell is the same cell.
	edit(t, a, func(e *Editor) error { _, err := e.Insert(0, NewCell{Type: Raw}); return err })
	edit(t, a, func(e *Editor) error { return e.Move("c", 0) })
	edit(t, a, func(e *Editor) error { return e.rewrite("c", book, "one\ntwo, 2\nthree\n") })
	if c, _ := b.Cell("c"); c.Source != "ONE\ntwo, 2\nTHREE\n" {
		t.Errorf("%q", c.Source)
	}
}

func TestThePastIsBounded(t *testing.T) {
	n := NewNotebookWith(Options{Limits: Limits{HistoryVersions: 3, HistoryBytes: 2000}})
	insert(t, n, 0, NewCell{ID: "c", Type: Code}, NewCell{ID: "d", Type: Code})
	var seen []Revision
	for i := range 6 {
		edit(t, n, func(e *Editor) error { return e.SetSource("c", strings.Repeat("x", i+1)) })
		seen = append(seen, revisionOf(t, n, "c"))
	}
	for i, r := range seen {
		err := n.Edit("x", func(e *Editor) error {
			if err := e.rewrite("c", r, "xxxxxx"); err != nil {
				return err
			}
			return errors.New("not made")
		})
		if gone := errors.Is(err, ErrRevisionGone); gone != (i < 3) {
			t.Errorf("version %d: %v", i, err)
		}
	}
	for i := range 10 {
		edit(t, n, func(e *Editor) error { return e.SetSource("d", strings.Repeat("y", 900+i)) })
		_ = n.Revision()
	}
	if n.archive.bytes > 2000 {
		t.Errorf("%d bytes are kept", n.archive.bytes)
	}
	sum := 0
	for _, e := range n.order {
		for _, v := range e.past.versions[:len(e.past.versions)-1] {
			sum += len(v.text) + versionBytes
		}
	}
	if sum != n.archive.bytes {
		t.Errorf("%d bytes are counted, %d kept", n.archive.bytes, sum)
	}
}

// TestManySmallVersionsAreBounded: the older sources of many deleted cells are few bytes each, but many.
func TestManySmallVersionsAreBounded(t *testing.T) {
	n := NewNotebookWith(Options{Limits: Limits{HistoryBytes: 10_000}})
	insert(t, n, 0, NewCell{ID: "stays", Type: Raw})
	for i := range 400 {
		id := fmt.Sprintf("c%d", i)
		insert(t, n, 1, NewCell{ID: id, Type: Raw, Source: "x"})
		n.Revision()
		edit(t, n, func(e *Editor) error { return e.SetSource(id, "") })
		n.Revision()
		edit(t, n, func(e *Editor) error { return e.Delete(id) })
		n.Revision()
	}
	if kept := len(n.archive.old); kept > 10_000/versionBytes {
		t.Errorf("%d versions are kept", kept)
	}
}

// A revision has a short text, which parses back to it.
func TestRevisionText(t *testing.T) {
	n := NewNotebook()
	last := n.Revision()
	for range 2000 {
		r := nextRevision()
		got, err := ParseRevision(r.String())
		must.NoError(t, err)
		must.Eq(t, r, got)
		must.Greater(t, last, got)
		last = r
	}
	text := last.String()
	must.LessEq(t, 6, len(text))
	test.Eq(t, strings.ToLower(text), text)
}

// A revision of another process belongs to no document, and a malformed one is refused.
func TestParseRevision(t *testing.T) {
	given := nextRevision().String()
	count, of := given[:len(given)-markBytes], given[len(given)-markBytes:]
	other := mark(start + 1)
	for text, want := range map[string]Revision{
		count + other:                   Foreign,
		"59912345678":                   Foreign,
		"zzzzz" + of:                    Foreign, // not given yet
		"0" + of:                        0,
		of:                              0,
		"":                              0,
		"1":                             0,
		"0" + given:                     0,
		strings.ToUpper("k" + given):    0,
		count + strings.ToUpper("a"+of): 0,
		count + " " + of:                0,
		"-" + given:                     0,
		"+" + given:                     0,
		"1_0" + of:                      0,
		"zzzzzzzzzzzzzzzzz" + of:        0,
		count + "é":                     0,
		"latest one":                    0,
	} {
		got, err := ParseRevision(text)
		test.Eq(t, want, got, test.Sprint(text))
		test.Eq(t, want == 0, err != nil, test.Sprint(text))
	}
	for _, r := range []Revision{0, Foreign} {
		if got, err := ParseRevision(r.String()); err == nil {
			t.Errorf("%d is written %q, and that is read as %d", r, r, got)
		}
	}
}

// Processes that start within a short time have different marks.
func TestMarks(t *testing.T) {
	seen := map[string]bool{}
	for i := range Revision(1000) {
		m := mark(start + i)
		must.Eq(t, markBytes, len(m), must.Sprint(i))
		must.False(t, seen[m], must.Sprint(i))
		seen[m] = true
	}
}

// A revision of another process cannot be the base of a change.
func TestForeignRevisionIsGone(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "c", Type: Code, Source: "x"})
	if err := n.Edit("test", func(e *Editor) error { return e.rewrite("c", Foreign, "y") }); !errors.Is(err, ErrRevisionGone) {
		t.Errorf("of a cell: %v", err)
	}
	if _, err := NewText().At(Foreign); !errors.Is(err, ErrRevisionGone) {
		t.Errorf("of a text: %v", err)
	}
}
