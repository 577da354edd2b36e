package crdt

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	ycrdt "github.com/skyterra/y-crdt"
)

func TestPanicsBreakTheDocumentForGood(t *testing.T) {
	for name, f := range map[string]func(s *sheet) error{
		"what the library prints": func(*sheet) error { ycrdt.Logf("x %d", 1); return nil },
		// After this the library would stay in the transaction.
		"within a transaction": func(s *sheet) error { s.Transact(func(*Tx) { panic("x") }); return nil },
	} {
		told := 0
		s := newSheet(Options{Broken: func() { told++ }})
		s.put(t, 0, "x")
		err := s.Do("test", func() error { return f(s) })
		test.ErrorIs(t, err, ErrBroken, test.Sprint(name))
		test.ErrorIs(t, s.Err(), ErrBroken, test.Sprint(name))
		test.Eq(t, 1, told, test.Sprint(name))
		if err := s.Do("x", func() error { t.Error("f ran"); return nil }); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Apply([]byte{0, 0}); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.StateVector(); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingIsShared: the library has a variable shared by all documents, which must stay untouched.
func TestNothingIsShared(t *testing.T) {
	s := newSheet(Options{})
	for range 200 {
		s.put(t, s.text.Len()/2, "ab")
		s.content(t)
	}
	if ycrdt.GlobalSearchMarkerTimestamp != 0 {
		t.Error("it was written")
	}
}
