package crdt

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// move copies the first type of a sheet's list to its end, and deletes it.
func (s *sheet) move(tb testing.TB) {
	tb.Helper()
	s.edit(tb, func(x *Tx) {
		var first *Type
		for t := range s.list.Entries() {
			first = t
			break
		}
		x.Remove(s.list, 0, 1)
		made := x.InsertType(s.list, s.list.Len(), KindMap)
		x.Becomes(first, made)
		x.Fill(made, first)
	})
}

// textAt returns the text of the first entry of a sheet's list.
func (s *sheet) textAt() (text *Type) {
	for t := range s.list.Entries() {
		return t.Child("text", KindText)
	}
	return nil
}

func withEntry(tb testing.TB, chars string) *sheet {
	tb.Helper()
	s := newSheet(Options{ClientID: 1})
	s.edit(tb, func(x *Tx) {
		x.InsertText(x.SetType(x.InsertType(s.list, 0, KindMap), "text", KindText), 0, chars)
	})
	return s
}

// The items of a copied text are held until a peer has had the copy for a while.
func TestCopiedTextsAreLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, peer := withEntry(t, "hello"), newSheet(Options{ClientID: 2})
		deliver(t, s, peer)
		old := s.textAt()
		s.move(t)
		deliver(t, s, peer)
		deliver(t, peer, s) // which does not confirm our changes
		time.Sleep(2 * lateFor)
		s.edit(t, func(x *Tx) { x.Set(s.meta, "k", 1) })
		n := len(s.copies)
		must.Eq(t, 1, n)
		must.NotNil(t, old.Start)
		if _, err := s.Diff(peer.vector(t)); err != nil {
			t.Fatal(err)
		}
		s.edit(t, func(x *Tx) { x.Set(s.meta, "k", 2) })
		time.Sleep(2 * lateFor)
		s.edit(t, func(x *Tx) { x.Set(s.meta, "k", 3) })
		n = len(s.copies)
		test.Eq(t, 0, n)
		test.Nil(t, old.Start)
		deliver(t, s, peer)
		if a, b := s.content(t), peer.content(t); a != b {
			t.Errorf("%s here, %s there", a, b)
		}
	})
}

func TestCopiedTextsAreBounded(t *testing.T) {
	s := withEntry(t, "hello")
	for range maxLate + 50 {
		s.move(t)
	}
	if n := len(s.copies); n != maxLate {
		t.Errorf("%d texts held, want %d", n, maxLate)
	}
	if got := s.content(t); got != `["",[{"text":"hello"}],{}]` {
		t.Errorf("it reads %s", got)
	}
}
