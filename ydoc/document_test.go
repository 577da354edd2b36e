package ydoc

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestABrokenNotebookReadsAsEmpty(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "c", Type: Code, Source: "1"})
	err := n.do("test", func() error { panic("x") })
	must.ErrorIs(t, err, ErrBroken)
	must.ErrorIs(t, n.Err(), ErrBroken)
	test.Eq(t, 0, n.Len(), test.Sprint("a broken document reads as something"))
	test.Nil(t, n.Cells(), test.Sprint("a broken document reads as something"))
	if err := n.Edit("x", func(*Editor) error { t.Error("fn ran"); return nil }); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
	if _, _, err := n.Revert(); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
}

func TestEditsBeyondTheLimitsAreRefused(t *testing.T) {
	if l := (Limits{}).orDefaults(); l != DefaultLimits {
		t.Errorf("defaults %+v", l)
	}
	small := NewNotebookWith(Options{Limits: Limits{TextBytes: 10, Cells: 1, Depth: 3}})
	insert(t, small, 0, NewCell{ID: "c", Type: Code})
	for name, fn := range map[string]func(e *Editor) error{
		"text": func(e *Editor) error { return e.SetSource("c", "12345678901") },
		"stream": func(e *Editor) error {
			_ = e.AppendStream("c", "stdout", "123456")
			return e.AppendStream("c", "stdout", "123456")
		},
		"cells": func(e *Editor) error { _, err := e.Insert(0, NewCell{Type: Code}); return err },
	} {
		if err := small.Edit(name, fn); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := func(e *Editor) error { return e.SetCellMetadata("c", "k", []any{[]any{[]any{1}}}) }
	if err := small.Edit("deep", deep); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
