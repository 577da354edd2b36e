package ydoc

import (
	"errors"
	"testing"
)

// The text at an older revision is what it was then; one that was never is
// refused.
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
			if got, err := e.Base(r); got != want || err != nil {
				t.Errorf("at %d: %q, %v; want %q", r, got, err, want)
			}
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
