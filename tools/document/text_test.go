package document_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestGetDocumentContent(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.TextFile("# Document 😀\r\n\r\nThis is a sample.\n")
		const text = "# Document 😀\n\nThis is a sample.\n"
		got := r.Content("/" + path)
		if got.Content != text || got.Truncated || got.Length != words.Size(text) || got.Revision == "" || got.Next != nil {
			t.Errorf("all of it: %+v", got)
		}
		got = document.ContentResult{}
		r.Good("get_document_content", toolstest.Dict{"path": path, "max_content": 12}, &got)
		if got.Content != "# Document 😀" || !got.Truncated || got.Length != words.Size(text) || got.Next == nil || *got.Next != 12 {
			t.Errorf("its start: %+v", got)
		}
		got = document.ContentResult{}
		r.Good("get_document_content", toolstest.Dict{"path": path, "position": 12}, &got)
		if got.Content != "\n\nThis is a sample.\n" || got.Truncated || got.Length != words.Size(text) {
			t.Errorf("its rest: %+v", got)
		}
		r.Bad("get_document_content", toolstest.Dict{"path": path, "position": 33}, "position 33 is out of range: the document has 32 characters")
		r.Bad("get_document_content", toolstest.Dict{"path": path, "position": -1}, "position -1 is out of range")
		r.Bad("get_document_content", toolstest.Dict{"path": r.Server.Name(t, ".md")}, "there is no document", "list_documents")
		r.Bad("get_document_content", toolstest.Dict{"path": ""}, "path has 0 characters")
		r.Bad("get_document_content", toolstest.Dict{"path": "/"}, "root folder")
		r.Bad("get_document_content", toolstest.Dict{"path": r.Server.Write(t, r.Server.Name(t, ".bin"), "\xff\x00\xfe")}, "not UTF-8 text")
		r.Good("get_document_content", toolstest.Dict{"path": r.Server.Write(t, r.Server.Name(t, ".md"), "")}, &got)
		if got.Content != "" || got.Length != 0 || got.Truncated {
			t.Errorf("an empty one: %+v", got)
		}
		// What does not fit in one answer is cut, however it is escaped.
		long := r.TextFile(strings.Repeat("\x01<\"\u2028", 100_000))
		got = r.Content(long)
		if !got.Truncated || got.Length != 400_000 || got.Next == nil || *got.Next != words.Size(got.Content) || *got.Next < 10_000 {
			t.Errorf("a long one: %d characters, next %v", words.Size(got.Content), got.Next)
		}

		nb := r.Server.Notebook(t, "x = '😀'")
		var book struct {
			Cells []struct{ ID, Source string }
		}
		if err := json.Unmarshal([]byte(r.Content(nb).Content), &book); err != nil || len(book.Cells) != 1 || book.Cells[0].ID != "c0" || book.Cells[0].Source != "x = '😀'" {
			t.Errorf("a notebook: %+v, %v", book, err)
		}
	})
}

// The seed's own examples: the results' fields and messages, in the room and on
// disk, with characters beyond 16 bits before and after.
func TestEditDocumentText(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r, other := toolstest.New(t), toolstest.New(t)
		path := r.TextFile("😀😀 one two 日本 😀")
		r.Content(path)
		other.Content(path)
		var got toolstest.Written
		r.Good("insert_document_text", toolstest.Dict{"path": "/" + path, "position": 2, "text": " a𝒷c\r\nd"}, &got)
		if got.Message != "Successfully inserted 6 characters at position 2" || got.Position != 2 || got.Length != 6 || got.Content != 21 || got.Merged {
			t.Errorf("insert: %+v", got)
		}
		r.Good("delete_document_text", toolstest.Dict{"path": path, "position": 3, "length": 5}, &got)
		if got.Message != "Successfully deleted 5 characters from position 3" || got.Position != 3 || got.Length != 5 || got.Removed != "a𝒷c\nd" || got.Content != 16 {
			t.Errorf("delete: %+v", got)
		}
		r.Good("replace_document_text", toolstest.Dict{"path": path, "position": 4, "length": 3, "text": "1🏳️‍🌈"}, &got)
		if got.Message != "Successfully replaced 3 characters with 5 new characters at position 4" || got.Length != 3 || got.NewLength != 5 || got.Removed != "one" {
			t.Errorf("replace: %+v", got)
		}
		const want = "😀😀  1🏳️‍🌈 two 日本 😀"
		if now := r.Content(path); now.Content != want || now.Revision != got.Revision || now.Length != got.Content {
			t.Errorf("it reads %+v, want %q", now, want)
		}
		for end := time.Now().Add(time.Minute); other.Content(path).Content != want; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the other reads %q", other.Content(path).Content)
			}
		}
		r.FileIs(path, want)
		n := words.Size(want)
		for tool, args := range map[string]toolstest.Dict{
			"insert_document_text":  {"text": "x", "position": n + 1},
			"delete_document_text":  {"position": n - 2, "length": 3},
			"replace_document_text": {"position": n - 2, "length": 3, "text": "x"},
		} {
			args["path"] = path
			r.Bad(tool, args, "out of range", "nothing was changed")
			args["position"] = -1
			r.Bad(tool, args, "position -1 is out of range")
			args["position"], args["length"] = 0, -1
			if tool != "insert_document_text" {
				r.Bad(tool, args, "length is -1, the minimum is 0")
			}
			delete(args, "length")
			args["position"] = 0
			if tool != "insert_document_text" {
				r.Bad(tool, args, `"length" is missing`)
				args["length"] = 0
			}
			args["revision"] = "x"
			r.Bad(tool, args, `revision "x" is not a revision`)
			args["revision"] = toolstest.ForeignRevision(r.Content(path).Revision)
			r.Bad(tool, args, "revision that you give is not known any more", "read it with")
			delete(args, "revision")
			args["path"] = r.Server.Notebook(t, "1")
			r.Bad(tool, args, "not a text document")
		}
		if now := r.Content(path).Content; now != want {
			t.Errorf("refused edits left %q", now)
		}
		// Nothing to do is done.
		r.Good("delete_document_text", toolstest.Dict{"path": path, "position": n, "length": 0}, &got)
		r.Good("insert_document_text", toolstest.Dict{"path": path, "position": 0, "text": ""}, &got)
		if now := r.Content(path); now.Content != want || now.Revision != got.Revision {
			t.Errorf("edits of nothing left %+v", now)
		}
	})
}

// Positions mean the text as the client was last shown it: what another has
// typed since is kept, and shifts them.
func TestPositionsAreCarriedOver(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r, other := toolstest.New(t), toolstest.New(t)
		path := r.TextFile("alpha beta gamma\nsecond line\n")
		base := r.Content(path).Revision
		sees := func(want string) {
			t.Helper()
			for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
				doc, err := r.Work.OpenText(t.Context(), jupyter.MustPath(path))
				if err != nil {
					t.Fatal(err)
				}
				now := doc.Text().String() // which shows it to nobody
				doc.Release()
				if now == want {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("the room has %q, want %q", now, want)
				}
			}
		}
		other.Good("insert_document_text", toolstest.Dict{"path": path, "position": 0, "text": "😀 new first line\n"}, nil)
		sees("😀 new first line\nalpha beta gamma\nsecond line\n")

		var got toolstest.Written
		r.Good("replace_document_text", toolstest.Dict{"path": path, "position": 6, "length": 4, "text": "BETA"}, &got)
		if !got.Merged || got.Removed != "beta" || got.Position != 23 {
			t.Errorf("carried over: %+v", got)
		}
		const merged = "😀 new first line\nalpha BETA gamma\nsecond line\n"
		sees(merged)
		// What it has not seen since stays, wherever its text is now.
		r.Good("overwrite_document", toolstest.Dict{"path": path, "content": "alpha BETA gamma\nsecond line\n"}, &got)
		sees(merged)
		// The revision that it had from the answer says what its positions mean, not that it has read the text.
		last := got.Revision
		r.Bad("delete_document_text", toolstest.Dict{"path": path, "position": 0, "length": 2, "revision": last}, "nothing was changed", "read on from position 0")
		r.Content(path)
		got = toolstest.Written{}
		r.Good("delete_document_text", toolstest.Dict{"path": path, "position": 0, "length": 2, "revision": last}, &got)
		if got.Removed != "😀 " || got.Merged {
			t.Errorf("with a revision: %+v", got)
		}
		if now := r.Content(path).Content; now != strings.TrimPrefix(merged, "😀 ") {
			t.Errorf("it reads %q", now)
		}
		// An older revision can be named too; where both changed the same words nothing is written.
		r.Bad("replace_document_text", toolstest.Dict{"path": path, "position": 6, "length": 4, "text": "other", "revision": base}, "nothing was changed", "Their change", "BETA", "other")
		r.Good("insert_document_text", toolstest.Dict{"path": path, "position": 29, "text": "the end\n", "revision": base}, &got)
		if !got.Merged {
			t.Errorf("from the first revision: %+v", got)
		}
		if now := r.Content(path).Content; now != strings.TrimPrefix(merged, "😀 ")+"the end\n" {
			t.Errorf("it reads %q", now)
		}
	})
}

// What a client was shown before its document was closed is not forgotten.
func TestShownTextIsRememberedAcrossSessions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r, other := toolstest.New(t), toolstest.New(t)
		path := r.TextFile("one\n")
		r.Content(path)
		r.Good("end_document_session", toolstest.Dict{"path": path}, nil)
		r.Good("insert_document_text", toolstest.Dict{"path": path, "position": 3, "text": " more"}, nil)
		r.Good("end_document_session", toolstest.Dict{"path": path}, nil)
		other.Content(path)
		other.Good("insert_document_text", toolstest.Dict{"path": path, "position": 0, "text": "zero\n"}, nil)
		other.Good("end_document_session", toolstest.Dict{"path": path}, nil)
		r.Good("insert_document_text", toolstest.Dict{"path": path, "position": 3, "text": "x"}, nil)
		if now := r.Content(path).Content; now != "zero\nonex more\n" {
			t.Errorf("it reads %q", now)
		}
	})
}
