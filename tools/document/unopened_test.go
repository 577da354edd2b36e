package document_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// sound is a notebook with a code cell and placeholders for faults.
const sound = `{"cells": [
 {"cell_type": "code", "id": "a1", "metadata": {}, "execution_count": null, "outputs": [], "source": "ok = 1"},
 {"cell_type": "markdown", "id": "a2", "metadata": {}, "source": "It's 20"}
], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`

const older = `{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [
 {"cell_type": "code", "input": "print 1", "language": "python", "outputs": [], "metadata": {}}]}]}`

// A notebook that the server cannot open is refused in one sentence, which names the faulty line, and the text tools repair
// it.
func TestUnopenedNotebookIsMended(t *testing.T) {
	without := func(text, part string) string { return strings.Replace(text, part, "", 1) }
	for name, c := range map[string]struct{ text, fault, mended string }{
		"a cell without source":     {without(sound, `, "source": "It's 20"`), `cells[1] (id "a2") has no "source"`, sound},
		"a cell without type":       {without(sound, `"cell_type": "markdown", `), `cells[1] (id "a2") has no "cell_type"`, sound},
		"a source that is a number": {strings.Replace(sound, `"It's 20"`, "20", 1), `cells[1] (id "a2") has a "source" that is a number`, sound},
		"no metadata":               {strings.Replace(sound, `"metadata": {}, "nbformat"`, `"nbformat"`, 1), `this notebook of format 4 has no "metadata"`, sound},
		"format 3 without metadata": {without(older, `"metadata": {}, `), `this notebook of format 3 has no "metadata"`, older},
		"half a character":          {strings.Replace(sound, "It's", `half \ud83d end`, 1), `line 3: \ud83d is half of a character`, sound},
		"the other half":            {strings.Replace(sound, "It's", `half \ude00 end`, 1), `line 3: \ude00 is half of a character`, sound},
		"Windows-1252":              {strings.Replace(sound, "It's", "It\x92s", 1), "line 3: the file is not UTF-8 but probably Windows-1252 (byte 0x92)", sound},
		"UTF-16":                    {"\xff\xfe" + wide(sound), "the file is UTF-16", sound},
		"a byte order mark":         {"\xef\xbb\xbf" + sound, "the file begins with a byte order mark", sound},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), c.text)
				res := r.Call("read_nb_cells", toolstest.Dict{"path": path})
				must.True(t, res.IsError)
				said := toolstest.MessageOf(res)
				test.StrContains(t, said, path+" cannot be read as a notebook: "+c.fault)
				test.StrContains(t, said, "get_document_content")
				test.StrNotContains(t, said, "/"+path)
				test.Eq(t, 1, strings.Count(said, "cannot be read"))
				var got document.ContentResult
				r.Good("get_document_content", toolstest.Dict{"path": path}, &got)
				test.StrContains(t, got.Fault, c.fault)
				test.StrContains(t, got.Content, "cell_type")
				r.Good("overwrite_document", toolstest.Dict{"path": path, "content": c.mended}, nil)
				test.SliceNotEmpty(t, r.Sources(path))
			})
		})
	}
}

func wide(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteByte(byte(r))
		b.WriteByte(0)
	}
	return b.String()
}

// edit_text repairs the file of a notebook that the server cannot open.
func TestEditTextMendsAnUnopenedNotebook(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), strings.Replace(sound, `, "source": "It's 20"`, "", 1))
		broken := toolstest.Dict{"path": path, "old_text": `"id": "a2", "metadata": {}`, "new_text": `"id": "a2", "metadata": {}, "source": 5`}
		r.Bad("edit_text", broken, "nothing was changed", "cells[1].source is a number")
		broken["new_text"] = `"id": "a2", "metadata": {}, "source": "mended"`
		r.Good("edit_text", broken, nil)
		test.Eq(t, []string{"ok = 1", "mended"}, r.Sources(path))
	})
}

// A change by edit_text also repairs the encoding of a file.
func TestEditTextMendsAnEncoding(t *testing.T) {
	for name, text := range map[string]string{
		"a mark":       "\xef\xbb\xbf" + sound,
		"Windows-1252": strings.Replace(sound, "20", "20 \x80", 1),
		"UTF-16":       "\xff\xfe" + wide(sound),
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), text)
				r.Good("edit_text", toolstest.Dict{"path": path, "old_text": "ok = 1", "new_text": "ok = 2"}, nil)
				test.Eq(t, "ok = 2", r.Sources(path)[0])
			})
		})
	}
}

// A room that the server cannot make is tried three times, and again only after the file has changed, or once on request.
func TestUnmadeRoomIsNotTriedForEver(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1")
		joins := func() int { return len(r.Server.Fake.Rooms.Received(path)) }
		r.Server.Fake.Rooms.DropAtJoin(path, 10_000)
		refused := func(want int) {
			t.Helper()
			r.Bad("read_nb_cells", toolstest.Dict{"path": path}, path+" cannot be read as a notebook", "closed the connection", "end_nb_session")
			test.Eq(t, want, joins())
		}
		refused(3)
		refused(3)
		r.Good("get_document_content", toolstest.Dict{"path": path}, nil)
		test.Eq(t, 3, joins())
		r.Good("end_nb_session", toolstest.Dict{"path": path}, nil)
		refused(4)
		refused(4)
		r.Server.Write(t, path, sound)
		refused(7)
	})
}

// The first reading of a notebook of format 2 or 3 says that saving converts it.
func TestOlderFormatIsSaid(t *testing.T) {
	for format, want := range map[string]int{"2": 1, "3": 1, "4": 0} {
		t.Run(format, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				text := strings.Replace(older, `"nbformat": 3`, `"nbformat": `+format, 1)
				if format == "4" {
					text = sound
				}
				path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), text)
				said := "the file is of notebook format " + format + ": saving converts it to 4.5"
				first := toolstest.MessageOf(r.Good("read_nb_cells", toolstest.Dict{"path": path}, nil))
				test.Eq(t, want, strings.Count(first, said))
				second := toolstest.MessageOf(r.Good("read_nb_cells", toolstest.Dict{"path": path}, nil))
				test.StrNotContains(t, second, said)
			})
		})
	}
}
