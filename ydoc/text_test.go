package ydoc

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// The text at an older revision is returned; an unknown revision is refused.
func TestTextBase(t *testing.T) {
	d := NewText()
	write := func(s string) Revision {
		t.Helper()
		if err := d.Edit("set", func(e *TextEditor) error { return e.SetText(s) }); err != nil {
			t.Fatal(err)
		}
		return d.Revision()
	}
	first, second := write("ein 😀"), write("zwei 😀")
	if err := d.Edit("look", func(e *TextEditor) error {
		for r, want := range map[Revision]string{first: "ein 😀", second: "zwei 😀"} {
			got, err := e.Base(r)
			test.Eq(t, want, got, test.Sprint(r))
			test.NoError(t, err, test.Sprint(r))
		}
		for _, r := range []Revision{0, second + 1} {
			if got, err := e.Base(r); !errors.Is(err, ErrRevisionGone) {
				t.Errorf("at %d: %q, %v", r, got, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestTextDocument(t *testing.T) {
	a, b := NewTextWith(Options{ClientID: 1}), NewTextWith(Options{ClientID: 2})
	forward(t, a.Doc, b.Doc)
	if err := a.Edit("x", func(e *TextEditor) error {
		_ = e.Replace(0, 0, "ab😀c")
		_ = e.Replace(1, 1, "")
		return e.Replace(3, 1, "Z\r\nY")
	}); err != nil {
		t.Fatal(err)
	}
	test.Eq(t, "a😀Z\nY", a.String())
	test.Eq(t, a.String(), b.String())
	rev := b.Revision()
	for name, fn := range map[string]func(e *TextEditor) error{
		"inside": func(e *TextEditor) error { return e.Replace(2, 0, "x") },
		"beyond": func(e *TextEditor) error { return e.Replace(3, 99, "") },
		"later":  func(e *TextEditor) error { _ = e.Replace(0, 0, "😀"); return e.Replace(1, 1, "") },
	} {
		if err := a.Edit(name, fn); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b.Revision() != rev {
		t.Error("the revision changed with nothing written")
	}
	if err := a.Edit("set", func(e *TextEditor) error { return e.SetText("a😀Z\nYz") }); err != nil {
		t.Fatal(err)
	}
	s, r := b.Read()
	test.Eq(t, "a😀Z\nYz", s)
	test.NotEq(t, rev, r)
	// The revision from the earlier read still refers to its text.
	if err := b.Edit("rewrite", func(e *TextEditor) error { return e.rewrite(rev, "b😀Z\nY") }); err != nil {
		t.Fatal(err)
	}
	if b.String() != "b😀Z\nYz" {
		t.Errorf("%q", b.String())
	}
}

func TestRewriteOfATextMeetsConflicts(t *testing.T) {
	a, b := NewTextWith(Options{ClientID: 1}), NewTextWith(Options{ClientID: 2})
	forward(t, a.Doc, b.Doc)
	forward(t, b.Doc, a.Doc)
	write := func(x *Text, fn func(e *TextEditor) error) error { return x.Edit("test", fn) }
	if err := write(a, func(e *TextEditor) error { return e.SetText("one\ntwo\n") }); err != nil {
		t.Fatal(err)
	}
	_, base := a.Read()
	if err := write(b, func(e *TextEditor) error { return e.SetText("one\n2\n") }); err != nil {
		t.Fatal(err)
	}
	err := write(a, func(e *TextEditor) error {
		_ = e.Replace(0, 0, "zero\n")
		return e.rewrite(base, "one\nzwei\n")
	})
	var conflict *ConflictError
	must.True(t, errors.As(err, &conflict))
	test.Eq(t, "", conflict.ID)
	test.StrContains(t, conflict.Theirs, "+2")
	test.StrContains(t, conflict.Mine, "+zwei")
	test.StrHasPrefix(t, "the text was changed", err.Error())
	if a.String() != "one\n2\n" {
		t.Errorf("%q was written in spite of a conflict", a.String())
	}
	if err := write(a, func(e *TextEditor) error { return e.rewrite(1, "x") }); !errors.Is(err, ErrRevisionGone) {
		t.Error(err)
	}
}
