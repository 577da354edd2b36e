package ydoc

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
)

// An edit touches the cells that it changes, not those that it inserts or leaves as they are.
func TestTouched(t *testing.T) {
	undo := errors.New("only looked at")
	for name, c := range map[string]struct {
		do       func(e *Editor) error
		cells    []string
		replaced []string
		writes   bool
	}{
		"nothing":        {do: func(*Editor) error { return nil }},
		"the same":       {do: func(e *Editor) error { return e.SetSource("a", "x") }},
		"a source":       {func(e *Editor) error { return e.SetSource("a", "y") }, []string{"a"}, nil, true},
		"a type":         {func(e *Editor) error { return e.SetType("b", Markdown) }, []string{"b"}, []string{"b"}, true},
		"moves":          {func(e *Editor) error { return errors.Join(e.Move("c", 0), e.Move("a", 0)) }, []string{"c", "a"}, []string{"c", "a"}, true},
		"a deletion":     {func(e *Editor) error { return e.Delete("b") }, []string{"b"}, []string{"b"}, true},
		"cell metadata":  {func(e *Editor) error { return e.SetCellMetadata("a", "k", 1) }, []string{"a"}, nil, true},
		"its own cell":   {func(e *Editor) error { return errors.Join(insertOne(e), e.SetSource("n", "z"), e.StartRun("n")) }, nil, nil, true},
		"metadata":       {func(e *Editor) error { return e.SetMetadata("k", 1) }, nil, nil, true},
		"a run":          {func(e *Editor) error { return errors.Join(e.StartRun("a"), e.SetSource("a", "y")) }, []string{"a"}, nil, true},
		"outputs gone":   {func(e *Editor) error { return e.ClearOutputs("a") }, []string{"a"}, nil, true},
		"what runs make": {do: func(e *Editor) error { return errors.Join(e.AppendStream("a", "stdout", "1"), e.FinishRun("a", nil)) }},
	} {
		n := NewNotebook()
		insert(t, n, 0, NewCell{ID: "a", Type: Code, Source: "x"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
		err := change(n, "test", func(e *Editor) error {
			if err := c.do(e); err != nil {
				return err
			}
			got := e.Touched()
			test.SliceEqOp(t, c.cells, got.Cells, test.Sprint(name))
			test.SliceEqOp(t, c.replaced, got.Replaced, test.Sprint(name))
			test.Eq(t, c.writes, got.Writes, test.Sprint(name))
			return undo
		})
		if !errors.Is(err, undo) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func insertOne(e *Editor) error {
	_, err := e.Insert(0, NewCell{ID: "n", Type: Code})
	return err
}
