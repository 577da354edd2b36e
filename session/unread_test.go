package session

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nbduet/nbduet/ydoc"
)

// A cell is deleted by those who have read it as it is now, and by those who mean it.
func TestDeleteWhatWasRead(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(r *rewriter) error
		error string // "" where it is deleted
	}{
		"never shown": {func(r *rewriter) error {
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, false)
		}, "never shown to you"},
		"forced": {func(r *rewriter) error {
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, true)
		}, ""},
		"empty": {func(r *rewriter) error {
			r.others(" \n")
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, false)
		}, ""},
		"shown": {func(r *rewriter) error {
			r.Show("ada", r.cell())
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, false)
		}, ""},
		"shown to another": {func(r *rewriter) error {
			r.Show("bob", r.cell())
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, false)
		}, "never shown to you"},
		"typed into since": {func(r *rewriter) error {
			r.Show("ada", r.cell())
			r.others("a = 1\nb = 2\n")
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, false)
		}, "+b = 2"},
		"typed into, and another agent of the client has read it": {func(r *rewriter) error {
			r.Show("ada", r.cell())
			r.others("a = 1\nb = 2\n")
			r.Show("ada", r.cell())
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, false)
		}, "+b = 2"},
		"the revision that was read": {func(r *rewriter) error {
			r.others("a = 1\nb = 2\n")
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id, Base: r.cell().Revision}}, false)
		}, ""},
		"an older revision": {func(r *rewriter) error {
			base := r.cell().Revision
			r.others("a = 1\nb = 2\n")
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id, Base: base}}, false)
		}, "+b = 2"},
		"known by its hash, changed": {func(r *rewriter) error {
			r.w.Made("ada", r.Path(), r.id, "other")
			return r.Delete(r.t.Context(), "ada", []Target{{Cell: r.id}}, false)
		}, "changed by somebody else"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newFakeWorld(t, Config{})
				defer closeWorld(t, w)
				r := &rewriter{w.mustOpen(t, "a.ipynb"), w, t, "c0"}
				defer r.Release()
				if err := r.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
					_, err := e.Insert(0, ydoc.NewCell{ID: r.id, Type: ydoc.Code, Source: "a = 1\n"})
					return err
				}); err != nil {
					t.Fatal(err)
				}
				err := c.do(r)
				if _, there := r.Notebook().Cell(r.id); there != (c.error != "") {
					t.Errorf("the cell is there: %v", there)
				}
				if c.error == "" && err != nil || c.error != "" && (!is[*OutdatedError](err) || !strings.Contains(err.Error(), c.error)) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}
