package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// atOnce makes edits in order, each before any client has another's update, and returns their errors. If early is true, the
// room confirms them before it passes them on.
func atOnce(s *jupytertest.Server, early bool, edits ...func() error) []error {
	s.Fake.Rooms.HoldSync(true)
	s.Fake.Rooms.HoldUpdates(true)
	errs := make([]error, len(edits))
	var wg sync.WaitGroup
	for i, edit := range edits {
		wg.Go(func() { errs[i] = edit() })
		synctest.Wait()
	}
	if early {
		s.Fake.Rooms.HoldSync(false)
		synctest.Wait()
		s.Fake.Rooms.HoldUpdates(false)
	} else {
		s.Fake.Rooms.HoldUpdates(false)
		s.Fake.Rooms.HoldSync(false)
	}
	wg.Wait()
	synctest.Wait()
	return errs
}

// Edits of the same words at the same instant: the first at the server stays, and a person's always stays; the author of the
// other is told so. Edits of different words all stay.
func TestSameInstant(t *testing.T) {
	for _, c := range []struct {
		name, source string
		sources      []string // the results, in order
		person       int      // the index of the person, -1 for none
		want         string
		stand        []bool
	}{
		{"the same word", "last = 10", []string{"last = 11", "last = 12"}, -1, "last = 11", []bool{true, false}},
		{"three", "last = 10", []string{"last = 11", "last = 12", "last = 13"}, -1, "last = 11", []bool{true, false, false}},
		{"the same change", "last = 10", []string{"last = 11", "last = 11"}, -1, "last = 11", []bool{true, false}},
		{"different words", "a = 1\nb = 2", []string{"a = 10\nb = 2", "a = 1\nb = 20"}, -1, "a = 10\nb = 20", []bool{true, true}},
		{"a third elsewhere", "a = 1\nb = 2", []string{"a = 10\nb = 2", "a = 1\nb = 20", "a = 1\nb = 30"}, -1, "a = 10\nb = 20", []bool{true, true, false}},
		{"deleted, then changed", "first last end", []string{"first end", "first least end"}, -1, "first end", []bool{true, false}},
		{"changed, then deleted", "first last end", []string{"first least end", "first end"}, -1, "first least end", []bool{true, false}},
		{"changed, then deleted with its line", "x = 1\nlast = 10", []string{"x = 1\nlast = 11", "x = 1"}, -1, "x = 1\nlast = 11", []bool{true, false}},
		{"both deleted", "first last end", []string{"first end", "first end"}, -1, "first end", []bool{true, true}},
		{"replaced, then deleted", "x = 10", []string{"x = 27", "x = "}, -1, "x = 27", []bool{true, false}},
		{"deleted, then replaced", "x = 10", []string{"x = ", "x = 27"}, -1, "x = 27", []bool{true, true}},
		{"beyond the first plane", "😀 = 10", []string{"😀 = 11", "😀😀 = 12"}, -1, "😀 = 11", []bool{true, false}},
		{"a person first", "foo", []string{"foox", "bar"}, 0, "foox", []bool{true, false}},
		{"a person last", "foo", []string{"bar", "foox"}, 1, "foox", []bool{false, true}},
		{"a person replaces first", "last = 10", []string{"last = 11", "last = 12"}, 0, "last = 11", []bool{true, false}},
		{"a person elsewhere", "a = 1\nb = 2", []string{"a = 10\nb = 2", "a = 1\nb = 20"}, 1, "a = 10\nb = 20", []bool{true, true}},
	} {
		for _, kind := range []string{"notebook", "early notebook", "text", "early text"} {
			if c.person >= 0 && strings.Contains(kind, "text") {
				continue
			}
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				jupytertest.Bubble(t, func(t *testing.T) {
					s := jupytertest.Start(t)
					text := strings.HasSuffix(kind, "text")
					path := s.Notebook(t, c.source)
					if text {
						path = s.Write(t, s.Name(t, ".md"), c.source)
					}
					docs := make([]*session.Document, len(c.sources))
					edits := make([]func() error, len(c.sources))
					for i, source := range c.sources {
						ctx := atOnceWith(call(t, "a", 1))
						if i == c.person {
							p := sessiontest.PersonIn(t, sessiontest.Server(t, s), path)
							p.Show(map[string]any{"user": map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada"}})
							edits[i] = func() error {
								return p.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource("c0", source) })
							}
							continue
						}
						m := sessiontest.Manager(t, s, session.Config{})
						if text {
							docs[i] = sessiontest.OpenText(t, m, path)
							edits[i] = func() error {
								return docs[i].EditText(ctx, "set", func(e *ydoc.TextEditor) error { return e.SetText(source) })
							}
							continue
						}
						docs[i] = sessiontest.Open(t, m, path)
						edits[i] = func() error {
							return docs[i].Edit(ctx, "set", func(e *ydoc.Editor) error { return e.SetSource("c0", source) })
						}
					}
					synctest.Wait()
					for i, err := range atOnce(s, strings.HasPrefix(kind, "early"), edits...) {
						var conflict *ydoc.ConflictError
						test.Eq(t, c.stand[i], err == nil)
						test.False(t, err != nil && !errors.As(err, &conflict))
						if docs[i] == nil {
							continue
						}
						var now string
						if text {
							now = docs[i].Text().String()
						} else {
							now = sourceIn(docs[i], "c0")
						}
						if now != c.want {
							t.Errorf("replica %d has %q, want %q", i, now, c.want)
						}
						if steps := docs[i].StepsOf(origin.Author{Client: "a"}).List(t.Context()); (len(steps) == 1) != c.stand[i] {
							t.Errorf("edit %d: %d steps can be taken back", i, len(steps))
						}
						if conflict != nil && (!conflict.TakenBack || !strings.Contains(conflict.Mine, "+"+lastLine(c.sources[i])) && c.sources[i] != "x = 1") {
							t.Errorf("edit %d: %+v", i, conflict)
						}
					}
				})
			})
		}
	}
}

func lastLine(s string) string { return s[strings.LastIndex(s, "\n")+1:] }

// Lines that two agents append at the same time both stay; if a call edits several cells, either all or nothing of it is
// reverted.
func TestSameInstantElsewhere(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		path := s.Notebook(t, "a = 1", "b = 2")
		one := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		two := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		set := func(d *session.Document, number uint64, sources ...string) func() error {
			return func() error {
				return d.Edit(atOnceWith(call(t, "a", number)), "set", func(e *ydoc.Editor) error {
					for i, source := range sources {
						if err := e.SetSource(fmt.Sprint("c", i), source); err != nil {
							return err
						}
					}
					return nil
				})
			}
		}
		errs := atOnce(s, false, set(one, 1, "a = 1\nfirst()"), set(two, 1, "a = 1\nsecond()"))
		now := sourceIn(one, "c0")
		lines := strings.Split(now, "\n")
		must.NoError(t, errs[0], must.Sprint(now))
		must.NoError(t, errs[1], must.Sprint(now))
		must.SliceLen(t, 3, lines, must.Sprint(now))
		test.SliceContainsOp(t, lines, "first()", test.Sprint(now))
		test.SliceContainsOp(t, lines, "second()", test.Sprint(now))
		errs = atOnce(s, true, set(one, 2, now, "b = 3"), set(two, 2, now+"\nthird()", "b = 4"))
		must.NoError(t, errs[0])
		must.Error(t, errs[1])
		test.Eq(t, now, sourceIn(one, "c0"))
		test.Eq(t, "b = 3", sourceIn(two, "c1"))
	})
}

// Two processes change the same word at the same time: the result is one of the two words or the earlier one, and the
// document has exactly the edits that were answered as done. NBDUET_INSTANTS is the number of rounds.
func TestSameWordOften(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv("NBDUET_INSTANTS"))
	if err != nil {
		times = 300
	}
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		path := s.Notebook(t, "last = 10")
		docs := [2]*session.Document{}
		for i := range docs {
			docs[i] = sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		}
		before, conflicts := "last = 10", 0
		for n := range times {
			words := [2]string{fmt.Sprint("last = ", 2*n+11), fmt.Sprint("last = ", 2*n+12)}
			edits := make([]func() error, 2)
			for i := range docs {
				edits[i] = func() error {
					return docs[i].Edit(atOnceWith(call(t, "a", uint64(n+1))), "set", func(e *ydoc.Editor) error { return e.SetSource("c0", words[i]) })
				}
			}
			var errs []error
			switch rand.IntN(4) {
			case 0:
				errs = atOnce(s, n%2 == 0, edits...)
			case 1:
				errs = atOnce(s, n%2 == 0, edits[1], edits[0])
				slices.Reverse(errs)
			default:
				errs = make([]error, 2)
				var wg sync.WaitGroup
				for i := range edits {
					wg.Go(func() { errs[i] = edits[i]() })
				}
				wg.Wait()
				synctest.Wait()
			}
			want := before
			for i, err := range errs {
				switch {
				case err == nil:
					want = words[i]
				case errors.As(err, new(*ydoc.ConflictError)):
					conflicts++
				default:
					t.Fatalf("%d: %v", n, err)
				}
			}
			got := sourceIn(docs[0], "c0")
			both := errs[0] == nil && errs[1] == nil
			must.Eq(t, sourceIn(docs[1], "c0"), got, must.Sprint(n, before, errs))
			must.False(t, got != want && !(both && got == words[0]), must.Sprint(n, before, errs))
			before = got
		}
		if t.Logf("%d conflicts in %d", conflicts, times); conflicts < times/4 {
			t.Error("they are not concurrent")
		}
	})
}

// atOnceWith returns the context of a call that does not wait until others pause, for edits at the same instant.
func atOnceWith(ctx context.Context) context.Context {
	return editguard.With(ctx, editguard.Manners{Force: true})
}

// A cell in which a person types at the instant of its deletion stays, with their text, and the deletion is answered as a
// conflict.
func TestDeletedWhileTypedIn(t *testing.T) {
	for _, moves := range []bool{false, true} {
		t.Run(fmt.Sprint("with a move: ", moves), func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Start(t)
				path := s.Notebook(t, "a = 1", "b = 2", "c = 3")
				p := sessiontest.PersonIn(t, sessiontest.Server(t, s), path)
				doc := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
				types := func() error {
					return p.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource("c1", "bc = 25") })
				}
				synctest.Wait()
				errs := atOnce(s, false, types, func() error {
					return doc.Edit(atOnceWith(call(t, "a", 1)), "delete", func(e *ydoc.Editor) error {
						if moves {
							return errors.Join(e.Move("c2", 0), e.Delete("c1"))
						}
						return e.Delete("c1")
					})
				})
				var conflict *ydoc.ConflictError
				must.True(t, errors.As(errs[1], &conflict))
				test.Eq(t, "c1", conflict.ID)
				test.True(t, conflict.TakenBack)
				test.StrContains(t, conflict.Theirs, "+bc = 25")
				for where, nb := range map[string]*ydoc.Notebook{"the agent": doc.Notebook(), "the person": p.Notebook} {
					var all []string
					for _, c := range nb.Cells() {
						all = append(all, c.Source)
					}
					if !slices.Equal(all, []string{"a = 1", "bc = 25", "c = 3"}) {
						t.Errorf("%s has %q", where, all)
					}
				}
				if steps := doc.StepsOf(origin.Author{Client: "a"}).List(t.Context()); len(steps) != 0 {
					t.Errorf("%d steps can be taken back", len(steps))
				}
			})
		})
	}
}

// A cell in which a person types at the instant when its insertion is undone stays, with their text. The other undone steps
// are undone completely.
func TestUndoneWhileTypedIn(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		path := s.Notebook(t, "a = 1", "b = 2")
		p := sessiontest.PersonIn(t, sessiontest.Server(t, s), path)
		doc := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		insert := func(e *ydoc.Editor) error {
			_, err := e.Insert(1, ydoc.NewCell{ID: "new", Type: ydoc.Code, Source: "new = 1"})
			return err
		}
		must.NoError(t, doc.Edit(atOnceWith(call(t, "a", 1)), "set", func(e *ydoc.Editor) error { return e.SetSource("c0", "a = 10") }))
		must.NoError(t, doc.Edit(atOnceWith(call(t, "a", 2)), "insert", insert))
		synctest.Wait()
		var o undo.Outcome
		errs := atOnce(s, false, func() error {
			return p.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource("new", "new = 1 # mine") })
		}, func() (err error) {
			o, err = doc.StepsOf(origin.Author{Client: "a"}).Undo(atOnceWith(call(t, "a", 3)), 2)
			return err
		})
		must.NoError(t, errors.Join(errs...))
		for _, nb := range []*ydoc.Notebook{doc.Notebook(), p.Notebook} {
			var all []string
			for _, c := range nb.Cells() {
				all = append(all, c.Source)
			}
			test.SliceEqOp(t, []string{"a = 1", "new = 1 # mine", "b = 2"}, all)
		}
		test.SliceEqOp(t, []string{"new"}, o.Kept)
		test.SliceLen(t, 2, o.Steps)
		o, err := doc.StepsOf(origin.Author{Client: "a"}).Redo(atOnceWith(call(t, "a", 4)), 2)
		must.NoError(t, err)
		test.Eq(t, "a = 10", sourceIn(doc, "c0"))
		test.Eq(t, "new = 1 # mine", sourceIn(doc, "new"))
	})
}
