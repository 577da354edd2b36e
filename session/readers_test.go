package session

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/ydoc"
)

// The record of the cells shown to a client is dropped with it, also for open documents.
func TestForgetForgetsWhatWasShown(t *testing.T) {
	for name, c := range map[string]struct {
		forget string
		want   bool // whether the client may delete the cell
	}{
		"the client":     {"ada", false},
		"another client": {"bob", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newFakeWorld(t, Config{})
				defer closeWorld(t, w)
				d := w.mustOpen(t, "a.ipynb")
				defer d.Release()
				if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
					_, err := e.Insert(0, ydoc.NewCell{ID: "c0", Type: ydoc.Code, Source: "a = 1"})
					return err
				}); err != nil {
					t.Fatal(err)
				}
				d.As("ada").Show(d.Notebook().Cells()...)
				w.Forget(c.forget)
				err := d.As("ada").Delete(t.Context(), []readset.Target{{Cell: "c0"}}, false)
				test.False(t, c.want && err != nil)
				test.False(t, !c.want && !errors.As(err, new(*readset.OutdatedError)))
			})
		})
	}
}
