package jupyter

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// A notebook that is being saved is read once it is whole. Meanwhile the server gets no notebook request: it would
// move aside the file that it is writing. Such a request is made for a broken one, or one in a format that only the
// server reads.
func TestNotebookThatIsBeingSaved(t *testing.T) {
	const nb = `{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# a\n", "b < c"]}], "metadata": {"n": 12345678901234567890}, "nbformat": 4, "nbformat_minor": 4}`
	for name, c := range map[string]struct {
		texts []string // read one after the other, the last one forever
		asked bool     // for a notebook
		err   error
		other bool // differs from nb
	}{
		"whole":                {texts: []string{nb}},
		"emptied, then half":   {texts: []string{"", nb[:20], nb[:20], nb}},
		"long in coming":       {texts: append(strings.Split(strings.Repeat(" ,{", 4), ","), nb)},
		"broken":               {texts: []string{nb[:20]}, asked: true, err: ErrBadRequest},
		"of nbformat 3":        {texts: []string{`{"worksheets": [], "metadata": {}, "nbformat": 3, "nbformat_minor": 0}`}, asked: true},
		"a cell without an id": {texts: []string{strings.Replace(nb, `"nbformat_minor": 4`, `"nbformat_minor": 5`, 1)}, asked: true},
		"nested deep":          {texts: []string{strings.Replace(nb, "12345678901234567890", strings.Repeat("[", 150)+strings.Repeat("]", 150), 1)}, asked: true},
		"brackets in a text":   {texts: []string{strings.Replace(nb, "# a", `\"\\`+strings.Repeat("[", 150), 1)}, other: true},
		"a cell without text":  {texts: []string{strings.Replace(nb, "source", "sauce", 1)}, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			asked, at := 0, 0
			s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("type") == "notebook" {
					asked++
					if c.err != nil {
						answer(400, "application/json", `{"message": "Unreadable Notebook"}`)(w, r)
						return
					}
					answer(200, "application/json", `{"type": "notebook", "format": "json", "content": {}}`)(w, r)
					return
				}
				b, err := json.Marshal(map[string]any{"type": "file", "format": "text", "content": c.texts[at]})
				if err != nil {
					t.Error(err)
				}
				at = min(at+1, len(c.texts)-1)
				answer(200, "application/json", string(b))(w, r)
			})
			var got Content
			err := Whole(t.Context(), func() (err error) {
				got, err = s.Contents.Get(t.Context(), MustPath("a.ipynb"), ContentsOptions{Content: true, Type: "notebook"})
				return err
			})
			must.ErrorIs(t, err, c.err)
			must.False(t, c.err == nil && err != nil)
			if want := map[bool]int{true: 1}[c.asked]; asked != want {
				t.Errorf("the server was asked for a notebook %d times, want %d", asked, want)
			}
			const joined = `{"cells":[{"cell_type":"markdown","metadata":{},"source":"# a\nb < c"}],"metadata":{"n":12345678901234567890},"nbformat":4,"nbformat_minor":4}`
			if !c.asked && !c.other && (got.Type != "notebook" || got.Format != "json" || strings.TrimSpace(string(got.Content)) != joined) {
				t.Errorf("it is read as %s %s %s", got.Type, got.Format, got.Content)
			}
		})
	}
}
