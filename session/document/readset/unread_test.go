package readset

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
)

// A client can delete a cell if it has read its current text, or by force.
func TestDeleteWhatWasRead(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(r *rewriter) error
		error string // "" if it is deleted
	}{
		"never shown": {func(r *rewriter) error {
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, false)
		}, "never shown to you"},
		"forced": {func(r *rewriter) error {
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, true)
		}, ""},
		"empty": {func(r *rewriter) error {
			r.others(" \n")
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, false)
		}, ""},
		"shown": {func(r *rewriter) error {
			r.as("ada").Show(r.cell())
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, false)
		}, ""},
		"shown to another": {func(r *rewriter) error {
			r.as("bob").Show(r.cell())
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, false)
		}, "never shown to you"},
		"typed into since": {func(r *rewriter) error {
			r.as("ada").Show(r.cell())
			r.others("a = 1\nb = 2\n")
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, false)
		}, "+b = 2"},
		"typed into, and another agent of the client has read it": {func(r *rewriter) error {
			r.as("ada").Show(r.cell())
			r.others("a = 1\nb = 2\n")
			r.as("ada").Show(r.cell())
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, false)
		}, "+b = 2"},
		"the revision that was read": {func(r *rewriter) error {
			r.others("a = 1\nb = 2\n")
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id, Base: r.cell().Revision}}, false)
		}, ""},
		"an older revision": {func(r *rewriter) error {
			base := r.cell().Revision
			r.others("a = 1\nb = 2\n")
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id, Base: base}}, false)
		}, "+b = 2"},
		"made by it, changed": {func(r *rewriter) error {
			r.memory.Made("ada", r.Path(), r.id, "other")
			return r.as("ada").Delete(r.t.Context(), []Target{{Cell: r.id}}, false)
		}, "changed by someone else"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRewriter(t, "a = 1\n")
			err := c.do(r)
			if _, there := r.nb.Cell(r.id); there != (c.error != "") {
				t.Errorf("the cell is there: %v", there)
			}
			test.False(t, c.error == "" && err != nil)
			test.False(t, c.error != "" && (!is[*OutdatedError](err) || !strings.Contains(err.Error(), c.error)))
		})
	}
}
