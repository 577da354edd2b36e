package filesync

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/ydoc"
)

// A file counts as saved if it has a state of the document since the leaving began, and not an earlier or half-written one.
func TestStateRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nb, text := ydoc.NewNotebook(), ydoc.NewText()
		file := func() jupyter.Content {
			t.Helper()
			b, err := json.Marshal(nbformat.Of(nb))
			if err != nil {
				t.Fatal(err)
			}
			return jupyter.Content{Content: b}
		}
		textFile := func() jupyter.Content {
			t.Helper()
			b, err := json.Marshal(text.String())
			if err != nil {
				t.Fatal(err)
			}
			return jupyter.Content{Content: b}
		}
		edit := func() {
			t.Helper()
			if err := nb.Edit("insert", func(e *ydoc.Editor) error {
				_, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code, Source: "x"})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if err := text.Edit("insert", func(e *ydoc.TextEditor) error { return e.Replace(0, 0, "x\r\n") }); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		edit()
		old, oldText := file(), textFile()
		edit()
		w, wt := recordStates(Joined{Notebook: nb}), recordStates(Joined{Text: text})
		defer w.end()
		defer wt.end()
		first, firstText := file(), textFile()
		edit()
		edit()
		for what, c := range map[string]struct {
			w    *stateRecorder
			file jupyter.Content
			want bool
		}{
			"a notebook before":      {w, old, false},
			"a notebook at first":    {w, first, true},
			"a notebook now":         {w, file(), true},
			"half a notebook":        {w, jupyter.Content{Content: first.Content[:len(first.Content)/2]}, false},
			"a text before":          {wt, oldText, false},
			"a text at first":        {wt, firstText, true},
			"a text now":             {wt, textFile(), true},
			"an empty file":          {wt, jupyter.Content{Content: json.RawMessage(`""`)}, false},
			"a file that is no text": {wt, jupyter.Content{}, false},
		} {
			if got := c.w.recognizes(c.file); got != c.want {
				t.Errorf("%s: %v, want %v", what, got, c.want)
			}
		}
	})
}
