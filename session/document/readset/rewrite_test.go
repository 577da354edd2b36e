package readset

import (
	"errors"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc"
)

// rewrite gives the cell a source, and returns the result.
func (r *rewriter) rewrite(client, source string, base ydoc.Revision) (string, error) {
	cells, err := r.as(client).Rewrite(r.t.Context(), []Change{{Cell: r.id, Source: source, Base: base}})
	if err != nil {
		return r.cell().Source, err
	}
	return cells[0].Source, nil
}

// forced gives the cell a source by force, and returns the result.
func (r *rewriter) forced(client, source string, base ydoc.Revision) (string, error) {
	_, err := r.as(client).Rewrite(r.t.Context(), []Change{{r.id, source, base, true}})
	return r.cell().Source, err
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// A change of a cell is based on the text that the client knows, and is merged with the changes of others since.
func TestRewriteIsFromWhatWasShown(t *testing.T) {
	long := "a = 1\n\n" + strings.Repeat("# more\n", 5)
	for name, c := range map[string]struct {
		do      func(r *rewriter) (string, error)
		want    string
		refused func(error) bool // nil if it is not
	}{
		"never shown": {func(r *rewriter) (string, error) {
			return r.rewrite("ada", "b = 2", 0)
		}, long, is[*OutdatedError]},
		"never shown, and empty": {func(r *rewriter) (string, error) {
			r.others("")
			return r.rewrite("ada", "b = 2", 0)
		}, "b = 2", nil},
		"shown twice, and what came between is kept": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(long + "theirs\n")
			r.as("ada").Show(r.cell())
			return r.rewrite("ada", long+"theirs\nlast\n", 0)
		}, long + "theirs\nlast\n", nil},
		"shown twice, and written from the first": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(long + "theirs\n")
			r.as("ada").Show(r.cell())
			return r.rewrite("ada", "b = 2\n"+long, 0)
		}, "b = 2\n" + long + "theirs\n", nil},
		"shown twice, and what came between is changed": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(long + "theirs\n")
			r.as("ada").Show(r.cell())
			return r.rewrite("ada", long+"mine\n", 0)
		}, long + "theirs\n", is[*OutdatedError]},
		"refused, read again, and the same": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(long + "theirs\n")
			r.as("ada").Show(r.cell())
			if _, err := r.rewrite("ada", long+"mine\n", 0); err == nil {
				r.t.Error("not refused")
			}
			r.as("ada").Show(r.cell())
			return r.rewrite("ada", long+"mine\n", 0)
		}, long + "theirs\n", is[*OutdatedError]},
		"refused, and other content": {func(r *rewriter) (string, error) {
			if _, err := r.rewrite("ada", "b = 2", 0); err == nil {
				r.t.Error("not refused")
			}
			return r.rewrite("ada", long+"mine\n", 0)
		}, long + "mine\n", nil},
		"refused, and by force": {func(r *rewriter) (string, error) {
			if _, err := r.rewrite("ada", "b = 2", 0); err == nil {
				r.t.Error("not refused")
			}
			return r.forced("ada", "b = 2", 0)
		}, "b = 2", nil},
		"merged, and the same again": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others("first\n" + long)
			if _, err := r.rewrite("ada", long+"last\n", 0); err != nil {
				return "", err
			}
			r.as("ada").Show(r.cell()) // as the answer shows the merged source
			return r.rewrite("ada", long+"last\n", 0)
		}, "first\n" + long + "last\n", nil},
		"merged, and written from what was sent": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others("first\n" + long)
			if _, err := r.rewrite("ada", long+"last\n", 0); err != nil {
				return "", err
			}
			return r.rewrite("ada", long+"last\nmore\n", 0)
		}, "first\n" + long + "last\nmore\n", nil},
		"merged, and written from what was shown": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others("first\n" + long)
			if _, err := r.rewrite("ada", long+"last\n", 0); err != nil {
				return "", err
			}
			r.as("ada").Show(r.cell())
			return r.rewrite("ada", "first\n"+long+"end\n", 0)
		}, "first\n" + long + "end\n", nil},
		"shown twice, refused, and with its revision": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(long + "theirs\n")
			r.as("ada").Show(r.cell())
			if _, err := r.rewrite("ada", long+"mine\n", 0); err == nil {
				r.t.Error("not refused")
			}
			return r.rewrite("ada", long+"mine\n", r.cell().Revision)
		}, long + "mine\n", nil},
		"last shown, merged": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others("first\n" + long)
			return r.rewrite("ada", long+"last\n", 0)
		}, "first\n" + long + "last\n", nil},
		"what one has written is known": {func(r *rewriter) (string, error) {
			r.others("")
			if _, err := r.rewrite("ada", long, 0); err != nil {
				return "", err
			}
			r.others("first\n" + long)
			return r.rewrite("ada", long+"last\n", 0)
		}, "first\n" + long + "last\n", nil},
		"a named revision": {func(r *rewriter) (string, error) {
			base := r.cell().Revision
			r.others("first\n" + long)
			return r.rewrite("ada", long+"last\n", base)
		}, "first\n" + long + "last\n", nil},
		"the same words": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(strings.Replace(long, "1", "2", 1))
			return r.rewrite("ada", strings.Replace(long, "1", "3", 1), 0)
		}, strings.Replace(long, "1", "2", 1), is[*OutdatedError]},
		"by force, never shown": {func(r *rewriter) (string, error) {
			return r.forced("ada", "b = 2", 0)
		}, "b = 2", nil},
		"by force, elsewhere": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others("first\n" + long)
			return r.forced("ada", long+"last\n", 0)
		}, "first\n" + long + "last\n", nil},
		"by force, elsewhere, from a named revision": {func(r *rewriter) (string, error) {
			base := r.cell().Revision
			r.others("first\n" + long)
			return r.forced("ada", long+"last\n", base)
		}, "first\n" + long + "last\n", nil},
		"by force, the same words": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(strings.Replace(long, "1", "2", 1))
			return r.forced("ada", strings.Replace(long, "1", "3", 1), 0)
		}, strings.Replace(long, "1", "2", 1), is[*OutdatedError]},
		"by force, the same words, again": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others(strings.Replace(long, "1", "2", 1))
			want := strings.Replace(long, "1", "3", 1)
			if _, err := r.forced("ada", want, 0); err == nil {
				return "", errors.New("it was not shown what somebody else had written")
			}
			return r.forced("ada", want, 0)
		}, strings.Replace(long, "1", "3", 1), nil},
		"by force, a revision of long ago": {func(r *rewriter) (string, error) {
			return r.forced("ada", "b = 2", r.cell().Revision+1)
		}, "b = 2", nil},
		"made by it, unchanged": {func(r *rewriter) (string, error) {
			r.memory.Made("ada", r.Path(), r.id, long)
			return r.rewrite("ada", "b = 2", 0)
		}, "b = 2", nil},
		"made by it, changed in the same words": {func(r *rewriter) (string, error) {
			r.memory.Made("ada", r.Path(), r.id, long)
			r.others("b = 2")
			return r.rewrite("ada", "c = 3", 0)
		}, "b = 2", is[*OutdatedError]},
		"a revision of long ago": {func(r *rewriter) (string, error) {
			return r.rewrite("ada", "b = 2", r.cell().Revision+1)
		}, long, is[*OutdatedError]},
		"another client": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others("b = 2")
			return r.rewrite("bob", "c = 3", 0)
		}, "b = 2", is[*OutdatedError]},
		"a client that has left": {func(r *rewriter) (string, error) {
			r.as("ada").Show(r.cell())
			r.others("b = 2")
			r.memory.Forget("ada")
			return r.rewrite("ada", "c = 3", 0)
		}, "b = 2", is[*OutdatedError]},
		"no such cell": {func(r *rewriter) (string, error) {
			r.id = "gone"
			return r.rewrite("ada", "c = 3", 0)
		}, "", func(err error) bool { return errors.Is(err, ydoc.ErrNotFound) }},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.do(newRewriter(t, long))
			if got != c.want {
				t.Errorf("the cell is %q, want %q", got, c.want)
			}
			test.False(t, c.refused == nil && err != nil)
			test.False(t, c.refused != nil && !c.refused(err))
		})
	}
}
