package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/session/store/journal"
	"github.com/nbduet/nbduet/ydoc"
)

// sixCells are the sources of a notebook.
var sixCells = []string{"a = 1", "b = 2", "c = 3", "d = 4", "e = 5", "f = 6"}

// journaled returns a manager with a journal at a path, and a function that ends both.
func journaled(t *testing.T, s *jupytertest.Server, path string) (m *session.Manager, end func()) {
	t.Helper()
	j := journal.New(journal.Options{Path: path})
	m = sessiontest.Manager(t, s, session.Config{Journal: j})
	ended := false
	end = func() {
		if !ended {
			ended = true
			test.NoError(t, errors.Join(m.Close(context.Background()), j.Close(context.Background())))
		}
	}
	t.Cleanup(end)
	return m, end
}

// inCall returns the context of a client's call.
func inCall(t *testing.T) context.Context {
	return origin.With(t.Context(), origin.Author{Client: "agent", Call: 1})
}

// appends adds a cell as a client, and returns the error.
func appends(t *testing.T, d *session.Document) error {
	t.Helper()
	return d.Edit(inCall(t), "append", func(e *ydoc.Editor) error {
		_, err := e.Insert(e.Len(), ydoc.NewCell{Type: ydoc.Code, Source: "by the agent"})
		return err
	})
}

// deletes removes n cells of a person's notebook from the top.
func deletes(t *testing.T, p *sessiontest.Person, n int) {
	t.Helper()
	must.NoError(t, p.Notebook.Edit("delete", func(e *ydoc.Editor) error {
		for range n {
			id, _ := e.IDAt(0)
			if err := e.Delete(id); err != nil {
				return err
			}
		}
		return nil
	}))
	p.Reaches()
}

// The journal knows a notebook that was emptied while it was not open here. An old loss is a deletion if the file lacks the
// cells, too.
func TestLossBetweenSessions(t *testing.T) {
	for name, c := range map[string]struct {
		away    time.Duration
		suspect bool
	}{"at once": {time.Second, true}, "saved long ago": {time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Start(t)
				path, file := s.Notebook(t, sixCells...), filepath.Join(t.TempDir(), "a.journal.db")
				m, end := journaled(t, s, file)
				d := sessiontest.Open(t, m, path)
				must.NoError(t, appends(t, d))
				before := sources(d.Notebook())
				d.Release()
				p := sessiontest.PersonIn(t, sessiontest.Server(t, s), path)
				end()
				deletes(t, p, p.Notebook.Len())
				time.Sleep(c.away)
				m, _ = journaled(t, s, file)
				d = sessiontest.Open(t, m, path)
				defer d.Release()
				err := appends(t, d)
				test.Eq(t, c.suspect, errors.As(err, new(*editguard.SuspectError)))
				if !c.suspect {
					test.NoError(t, err)
					return
				}
				_, err = session.Kept{Document: d}.Restore(inCall(t), session.Before)
				must.NoError(t, err)
				test.Eq(t, before, sources(d.Notebook()))
				test.NoError(t, appends(t, d))
			})
		})
	}
}

// sources returns the sources of a notebook's cells.
func sources(nb *ydoc.Notebook) string {
	var all []string
	for _, c := range nb.Cells() {
		all = append(all, c.Source)
	}
	return strings.Join(all, "\n")
}

// Whatever two people and an agent do to a notebook, it is not suspect: they delete everything, half of it or single cells,
// paste all cells again, move and write. NBDUET_LOSS_SEEDS is the number of programs.
func TestNoFalseLoss(t *testing.T) {
	seeds, err := strconv.Atoi(os.Getenv("NBDUET_LOSS_SEEDS"))
	if err != nil {
		seeds = 20
	}
	for seed := range seeds {
		jupytertest.Bubble(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 66))
			s := jupytertest.Start(t)
			path := s.Notebook(t, sixCells...)
			m, _ := journaled(t, s, filepath.Join(t.TempDir(), "a.journal.db"))
			people := make([]*sessiontest.Person, 2)
			for i := range people {
				people[i] = sessiontest.PersonIn(t, sessiontest.Server(t, s), path)
			}
			for step := range 12 {
				d := sessiontest.Open(t, m, path)
				for i, p := range people { // a tab renews it every 15 seconds
					shows(p, i, "")
				}
				who := r.IntN(2)
				p := people[who]
				shows(p, who, fmt.Sprint(step)) // selects a cell
				act(t, r, p.Notebook)
				p.Reaches()
				time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
				if r.IntN(3) == 0 {
					must.NoError(t, appends(t, d), must.Sprint("seed ", seed))
				}
				test.Eq(t, "", editguard.Suspected(d.Notebook()).Suspect, test.Sprint("seed ", seed))
				d.Release()
				if r.IntN(6) == 0 {
					time.Sleep(10 * time.Minute)
				}
			}
		})
	}
}

// shows announces a person and their active cell.
func shows(p *sessiontest.Person, i int, cell string) {
	name := fmt.Sprint("person ", i)
	p.Show(map[string]any{"user": map[string]any{"username": name, "name": name, "display_name": name}, "activeCellId": cell})
	p.Reaches()
}

// act makes one edit as a person.
func act(t *testing.T, r *rand.Rand, nb *ydoc.Notebook) {
	t.Helper()
	must.NoError(t, nb.Edit("act", func(e *ydoc.Editor) error {
		n := e.Len()
		id, _ := e.IDAt(r.IntN(n))
		switch r.IntN(6) {
		case 0, 1: // all or a half
			for range n / (1 + r.IntN(2)) {
				one, _ := e.IDAt(0)
				if err := e.Delete(one); err != nil {
					return err
				}
			}
		case 2:
			for i := range n {
				c, _ := e.CellAt(i)
				if _, err := e.Insert(e.Len(), ydoc.NewCell{Type: c.Type, Source: c.Source}); err != nil {
					return err
				}
			}
		case 3:
			return e.Move(id, r.IntN(n))
		case 4:
			return e.SetSource(id, fmt.Sprint("y = ", r.IntN(100)))
		default:
			for i := range 5 {
				if _, err := e.Insert(r.IntN(e.Len()+1), ydoc.NewCell{Type: ydoc.Code, Source: fmt.Sprint("z = ", i)}); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}
