package crdt

import (
	"errors"
	"testing"

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
		if !errors.Is(err, ErrBroken) || !errors.Is(s.Err(), ErrBroken) || told != 1 {
			t.Errorf("%s: %v, %v, said %d times", name, err, s.Err(), told)
		}
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

// TestNothingIsShared: the library has a variable that all documents share, which must stay untouched.
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
