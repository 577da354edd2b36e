package tools_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// The text from which the tools below remove "two\n", or the words "two".
const threeLines = "first line.\ntwo\nthe third, a line\n"

// textWriters are the tools that change a text document. A tool that removes text names it by position, unless it quotes it,
// or gives the whole text.
var textWriters = map[string]struct {
	args    toolstest.Dict
	removes bool
	byWords bool // it need not have been read
}{
	"insert_document_text":  {toolstest.Dict{"position": 12, "text": "new\n"}, false, false},
	"delete_document_text":  {toolstest.Dict{"position": 12, "length": 4}, true, false},
	"replace_document_text": {toolstest.Dict{"position": 12, "length": 3, "text": "2"}, true, false},
	"overwrite_document":    {toolstest.Dict{"content": "first line.\nthe third, a line\n"}, true, false},
	"edit_text":             {toolstest.Dict{"old_text": "two\n", "new_text": ""}, true, true},
}

// knowing are ways in which a client knows a text document, and whether it has read its second line.
var knowing = map[string]struct {
	come func(p *textPlace)
	read bool
	// moved: another participant has typed behind it since it was read.
	moved bool
}{
	"never read":                          {func(*textPlace) {}, false, false},
	"its beginning":                       {func(p *textPlace) { p.read(0, 12) }, false, false},
	"its end":                             {func(p *textPlace) { p.read(16, 100) }, false, false},
	"cut off inside":                      {func(p *textPlace) { p.read(0, 13) }, false, false},
	"both sides of it":                    {func(p *textPlace) { p.read(0, 12); p.read(16, 100) }, false, false},
	"that line":                           {func(p *textPlace) { p.read(12, 4) }, true, false},
	"in two pieces":                       {func(p *textPlace) { p.read(0, 14); p.read(14, 100) }, true, false},
	"all of it":                           {func(p *textPlace) { p.read(0, 100) }, true, false},
	"all of it, others typed since":       {func(p *textPlace) { p.read(0, 100); p.person(threeLines + "typed\n") }, true, true},
	"its beginning, others typed since":   {func(p *textPlace) { p.read(0, 12); p.person(threeLines + "typed\n") }, false, true},
	"never read, it has added":            {func(p *textPlace) { p.add() }, false, false},
	"never read, it has edited by words":  {func(p *textPlace) { p.edit() }, false, false},
	"all of it, and it has added":         {func(p *textPlace) { p.read(0, 100); p.add() }, true, false},
	"all of it, and it has edited":        {func(p *textPlace) { p.read(0, 100); p.edit() }, true, false},
	"its beginning, and it has added":     {func(p *textPlace) { p.read(0, 12); p.add() }, false, false},
	"all of it, and the program was left": {func(p *textPlace) { p.read(0, 100); p.leave() }, true, false},
	"its beginning, and it was left":      {func(p *textPlace) { p.read(0, 12); p.leave() }, false, false},
}

// A textPlace is a text document that a client changes.
type textPlace struct {
	*toolstest.Rig
	path string
}

func (p *textPlace) read(position, most int) {
	p.T.Helper()
	p.Good("get_document_content", toolstest.Dict{"path": p.path, "position": position, "max_content": most}, nil)
}

// add adds a character at the end.
func (p *textPlace) add() {
	p.T.Helper()
	p.Good("insert_document_text", toolstest.Dict{"path": p.path, "position": len(threeLines), "text": "!"}, nil)
}

func (p *textPlace) edit() {
	p.T.Helper()
	p.Good("edit_text", toolstest.Dict{"path": p.path, "old_text": "the third, a line", "new_text": "the third, in a line"}, nil)
}

func (p *textPlace) leave() {
	p.T.Helper()
	p.Good("end_document_session", toolstest.Dict{"path": p.path}, nil)
}

// person gives the document another text, as another participant.
func (p *textPlace) person(text string) {
	p.T.Helper()
	doc, err := p.Work.OpenText(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	if err := doc.EditText(p.T.Context(), "type", func(e *ydoc.TextEditor) error { return e.SetText(text) }); err != nil {
		p.T.Fatal(err)
	}
}

func (p *textPlace) now() string {
	p.T.Helper()
	doc, err := p.Work.OpenText(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	return doc.Text().String() // does not show it to a client
}

// A client cannot remove text that it has not read, whatever it has read or written of the rest, with the revision of its
// last answer and without; and text typed by others stays.
func TestUnreadTextIsNotRemoved(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(textWriters)) {
		c := textWriters[tool]
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(knowing)) {
					k := knowing[state]
					p := &textPlace{Rig: r, path: r.TextFile(threeLines)}
					k.come(p)
					before := p.now()
					res := p.Call(tool, toolstest.With(c.args, "path", p.path))
					text, after := toolstest.MessageOf(res), p.now()
					may := !c.removes || c.byWords || k.read
					switch {
					case !may && (!res.IsError || after != before):
						t.Errorf("%s: answered %s; the text is %q", state, text, after)
					case !may && !strings.Contains(text, "nothing was changed"):
						t.Errorf("%s: answered %s", state, text)
					case may && (res.IsError || after == before):
						t.Errorf("%s: answered %s; the text is %q", state, text, after)
					case c.removes && may && strings.Contains(after, "two"), !c.removes && !strings.Contains(after, "new\n"):
						t.Errorf("%s: the text is %q", state, after)
					}
					if k.moved && !strings.Contains(after, "typed") {
						t.Errorf("%s: what was typed is gone: %q", state, after)
					}
				}
			})
		})
	}
}

// A position means the place in the text that the client was last shown, wherever that is now: text that a person has
// inserted above since is not touched.
func TestPositionsMeanWhatWasShown(t *testing.T) {
	want := map[string]string{
		"insert_document_text":  "typed\nfirst line.\nnew\ntwo\nthe third, a line\n",
		"delete_document_text":  "typed\nfirst line.\nthe third, a line\n",
		"replace_document_text": "typed\nfirst line.\n2\nthe third, a line\n",
		"overwrite_document":    "typed\nfirst line.\nthe third, a line\n",
		"edit_text":             "typed\nfirst line.\nthe third, a line\n",
	}
	for tool, c := range textWriters {
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := &textPlace{Rig: toolstest.New(t)}
				p.path = p.TextFile(threeLines)
				p.read(0, 100)
				p.person("typed\n" + threeLines)
				p.Good(tool, toolstest.With(c.args, "path", p.path), nil)
				if now := p.now(); now != want[tool] {
					t.Errorf("the text is %q", now)
				}
			})
		})
	}
}

// A refusal says where to continue reading, and the same call succeeds after that.
func TestUnreadTextIsRead(t *testing.T) {
	for _, tool := range []string{"delete_document_text", "replace_document_text", "overwrite_document"} {
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := &textPlace{Rig: toolstest.New(t)}
				p.path = p.TextFile(threeLines)
				p.read(0, 14)
				args := toolstest.With(textWriters[tool].args, "path", p.path)
				p.Bad(tool, args, "you have read 14 of the 34 characters", "read on from position 14")
				p.read(14, 100)
				p.Good(tool, args, nil)
			})
		})
	}
	jupytertest.Beside(t, func(t *testing.T) {
		p := &textPlace{Rig: toolstest.New(t)}
		p.path = p.TextFile(threeLines)
		p.add()
		over := toolstest.Dict{"path": p.path, "content": "x"}
		p.Bad("overwrite_document", over, "force")
		p.Good("overwrite_document", toolstest.With(over, "force", true), nil)
		p.Good("overwrite_document", toolstest.Dict{"path": p.path, "content": "y"}, nil) // the client knows its own text
		if now := p.now(); now != "y" {
			t.Errorf("%q", now)
		}
	})
}

// Reading part of a notebook's JSON does not count as reading its cells.
func TestNotebookReadInPieces(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		p := newUnread(t, "delete_nb_cells")
		piece := func(position int) {
			t.Helper()
			p.Good("get_document_content", toolstest.Dict{"path": p.path, "position": position, "max_content": 100}, nil)
		}
		for at := range 4 {
			piece(100 * at)
		}
		deletes := func(id string) (string, bool) {
			t.Helper()
			return p.call("delete_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"id": id}}})
		}
		text, failed := deletes("c1")
		must.True(t, failed, must.Sprint("after 400 characters"))
		must.StrContains(t, text, "never shown to you", must.Sprint("after 400 characters"))
		for at := 4; at < 20; at++ {
			if text := toolstest.MessageOf(p.Call("get_document_content", toolstest.Dict{"path": p.path, "position": 100 * at, "max_content": 100})); strings.Contains(text, "out of range") {
				break
			}
		}
		if text, failed := deletes("c2"); failed {
			t.Error(text)
		}
	})
}
