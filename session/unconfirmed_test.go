package session_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A client that has changed a cell and was told that the change is not confirmed may change it again: it knows the current
// text, which no other client wrote.
func TestChangeAfterAnUnconfirmedOne(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		o.d.As("client").Show(o.d.Notebook().Cells()...)
		change := func(source string) error {
			_, err := o.d.As("client").Rewrite(o.m.WithBudget(t.Context(), nil), []readset.Change{{Cell: "c0", Source: source}})
			return err
		}
		time.Sleep(20 * time.Second)
		o.cable.Stall()
		time.AfterFunc(12*time.Second, o.cable.Mend)
		if err := change("first = 'not confirmed'"); !errors.As(err, new(*session.UnconfirmedError)) {
			t.Fatalf("the first change: %v", err)
		}
		time.Sleep(5 * time.Second)
		err := change("first = 'confirmed'")
		must.NoError(t, err, must.Sprint("the second change"))
		test.True(t, o.seen("first = 'confirmed'"), test.Sprint("the second change"))
	})
}

// An edit counts only its own cells as unconfirmed, not those of an edit that is written at the same time: an answered edit stays confirmed.
func TestUnconfirmedCountsTheEditsOwnCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, "0"))
		c0 := d.Notebook().Cells()[0].ID
		for i := range 100 {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					err := d.Edit(t.Context(), "metadata", func(e *ydoc.Editor) error { return e.SetMetadata("round", i) })
					test.NoError(t, err)
				})
			}
			err := d.Edit(t.Context(), "source", func(e *ydoc.Editor) error { return e.SetSource(c0, strconv.Itoa(i)) })
			must.NoError(t, err)
			test.False(t, d.Unconfirmed(c0))
			wg.Wait()
		}
	})
}
