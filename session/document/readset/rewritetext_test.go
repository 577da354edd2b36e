package readset

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

// A change of a text is based on the text that the client knows, and is carried over to the current text.
func TestRewriteTextIsFromWhatWasShown(t *testing.T) {
	const long = "one\ntwo\nthree\nfour\nfive\n"
	behind := strings.Index(long, "five")
	for name, c := range map[string]struct {
		before  func(m *Memory, d *fakeDocument, others func(string)) (base ydoc.Revision)
		change  TextChange
		want    string
		at      int
		merged  bool
		refused func(error) bool // nil if it is not
	}{
		"never shown":                {nil, TextChange{behind, behind, "4½\n"}, long[:behind] + "4½\nfive\n", behind, false, nil},
		"never shown, to be removed": {nil, TextChange{0, len(long), "zero\n"}, long, 0, false, is[*OutdatedError]},
		"the whole": {func(m *Memory, d *fakeDocument, _ func(string)) ydoc.Revision {
			Of(d, m, "ada").ReadText()
			return 0
		}, TextChange{0, len(long), "zero\n"}, "zero\n", 0, false, nil},
		"shown twice, a place in it": {func(m *Memory, d *fakeDocument, others func(string)) ydoc.Revision {
			Of(d, m, "ada").ReadText()
			others("zero\n" + long)
			Of(d, m, "ada").ReadText()
			return 0
		}, TextChange{behind, behind, "x"}, "zero\n" + long[:behind-5] + "x" + long[behind-5:], behind, false, nil},
		"shown twice, the whole from the first": {func(m *Memory, d *fakeDocument, others func(string)) ydoc.Revision {
			Of(d, m, "ada").ReadText()
			others(long + "six\n")
			Of(d, m, "ada").ReadText()
			return 0
		}, TextChange{0, len(long) + 4, "zero\n" + long}, "zero\n" + long + "six\n", 0, true, nil},
		"last shown, carried": {func(m *Memory, d *fakeDocument, others func(string)) ydoc.Revision {
			Of(d, m, "ada").ReadText()
			others("zero\n" + long)
			return 0
		}, TextChange{behind, behind + 4, "5"}, "zero\n" + long[:behind] + "5\n", behind + 5, true, nil},
		"others did the same": {func(m *Memory, d *fakeDocument, others func(string)) ydoc.Revision {
			Of(d, m, "ada").ReadText()
			others("one\n")
			return 0
		}, TextChange{4, len(long), ""}, "one\n", -1, false, nil},
		"a named revision": {func(_ *Memory, d *fakeDocument, others func(string)) ydoc.Revision {
			_, rev := d.Text().Read()
			others("zero\n" + long)
			return rev
		}, TextChange{behind, behind + 4, "5"}, "zero\n" + long[:behind] + "5\n", behind + 5, true, nil},
		"a revision that never was": {func(_ *Memory, d *fakeDocument, _ func(string)) ydoc.Revision {
			return d.Text().Revision() + 1
		}, TextChange{0, 0, "x"}, long, 0, false, is[*OutdatedError]},
		"the same words": {func(m *Memory, d *fakeDocument, others func(string)) ydoc.Revision {
			Of(d, m, "ada").ReadText()
			others("1\n" + long[4:])
			return 0
		}, TextChange{0, 3, "I"}, "1\n" + long[4:], 0, false, is[*OutdatedError]},
		"known by its hash, changed": {func(m *Memory, d *fakeDocument, _ func(string)) ydoc.Revision {
			m.Made("ada", d.Path(), "", "another")
			return 0
		}, TextChange{0, 0, "x"}, long, 0, false, is[*OutdatedError]},
		"what it has sent is the base after a merge": {func(m *Memory, d *fakeDocument, others func(string)) ydoc.Revision {
			Of(d, m, "ada").ReadText()
			others("zero\n" + long)
			done, err := Of(d, m, "ada").RewriteText(t.Context(), "edit", 0, func(string) (TextChange, error) {
				return TextChange{behind, behind + 4, "5"}, nil
			})
			must.NoError(t, err)
			test.True(t, done.Merged)
			return 0
		}, TextChange{behind, behind + 1, "V"}, "zero\n" + long[:behind] + "V\n", behind + 5, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m, d := NewMemory(), &fakeDocument{text: ydoc.NewText()}
			others := func(text string) {
				if err := d.text.Edit("type", func(e *ydoc.TextEditor) error { return e.SetText(text) }); err != nil {
					t.Fatal(err)
				}
			}
			others(long)
			var base ydoc.Revision
			if c.before != nil {
				base = c.before(m, d, others)
			}
			got, err := Of(d, m, "ada").RewriteText(t.Context(), "edit", base, func(base string) (TextChange, error) {
				return TextChange{c.change.From, min(c.change.To, len(base)), c.change.Put}, nil
			})
			now := d.Text().String()
			test.Eq(t, c.want, now)
			test.False(t, err == nil && (got.Text != now || got.At != c.at || got.Merged != c.merged))
			test.False(t, c.refused == nil && err != nil)
			test.False(t, c.refused != nil && !c.refused(err))
		})
	}
}
