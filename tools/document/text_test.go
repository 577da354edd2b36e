package document_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestGetDocumentContent(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.TextFile("# Document 😀\r\n\r\nThis is a sample.\n")
		const text = "# Document 😀\n\nThis is a sample.\n"
		got := r.Content("/" + path)
		test.Eq(t, text, got.Content, test.Sprint("all of it"))
		test.False(t, got.Truncated, test.Sprint("all of it"))
		test.Eq(t, textfmt.Size(text), got.Length, test.Sprint("all of it"))
		test.NotEq(t, "", got.Revision, test.Sprint("all of it"))
		test.Nil(t, got.Next, test.Sprint("all of it"))
		got = document.ContentResult{}
		r.Good("get_document_content", toolstest.Dict{"path": path, "max_content": 12}, &got)
		test.Eq(t, "# Document 😀", got.Content, test.Sprint("its start"))
		test.True(t, got.Truncated, test.Sprint("its start"))
		test.Eq(t, textfmt.Size(text), got.Length, test.Sprint("its start"))
		must.NotNil(t, got.Next, must.Sprint("its start"))
		test.Eq(t, 12, *got.Next, test.Sprint("its start"))
		got = document.ContentResult{}
		r.Good("get_document_content", toolstest.Dict{"path": path, "position": 12}, &got)
		test.Eq(t, "\n\nThis is a sample.\n", got.Content, test.Sprint("its rest"))
		test.False(t, got.Truncated, test.Sprint("its rest"))
		test.Eq(t, textfmt.Size(text), got.Length, test.Sprint("its rest"))
		r.Bad("get_document_content", toolstest.Dict{"path": path, "position": 33}, "position 33 is out of range: the document has 32 characters")
		r.Bad("get_document_content", toolstest.Dict{"path": path, "position": -1}, "position -1 is out of range")
		r.Bad("get_document_content", toolstest.Dict{"path": r.Server.Name(t, ".md")}, "no document", "list_documents")
		r.Bad("get_document_content", toolstest.Dict{"path": ""}, "path has 0 characters")
		r.Bad("get_document_content", toolstest.Dict{"path": "/"}, "root folder")
		r.Bad("get_document_content", toolstest.Dict{"path": r.Server.Write(t, r.Server.Name(t, ".bin"), "\xff\x00\xfe")}, "not UTF-8 text")
		r.Good("get_document_content", toolstest.Dict{"path": r.Server.Write(t, r.Server.Name(t, ".md"), "")}, &got)
		test.Eq(t, "", got.Content, test.Sprint("an empty one"))
		test.Eq(t, 0, got.Length, test.Sprint("an empty one"))
		test.False(t, got.Truncated, test.Sprint("an empty one"))
		// Text that does not fit in one answer is cut, however it is escaped.
		long := r.TextFile(strings.Repeat("\x01<\"\u2028", 100_000))
		got = r.Content(long)
		test.True(t, got.Truncated, test.Sprint("a long one"))
		test.Eq(t, 400_000, got.Length, test.Sprint("a long one"))
		must.NotNil(t, got.Next, must.Sprint("a long one"))
		test.Eq(t, textfmt.Size(got.Content), *got.Next, test.Sprint("a long one"))
		test.GreaterEq(t, 10_000, *got.Next, test.Sprint("a long one"))

		nb := r.Server.Notebook(t, "x = '😀'")
		var book struct {
			Cells []struct{ ID, Source string }
		}
		err := json.Unmarshal([]byte(r.Content(nb).Content), &book)
		must.NoError(t, err, must.Sprint("a notebook"))
		must.SliceLen(t, 1, book.Cells, must.Sprint("a notebook"))
		test.Eq(t, "c0", book.Cells[0].ID, test.Sprint("a notebook"))
		test.Eq(t, "x = '😀'", book.Cells[0].Source, test.Sprint("a notebook"))
	})
}

// The examples from the contract: the results' fields and messages, in the room and on disk, with characters beyond 16 bits
// before and after.
func TestEditDocumentText(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r, other := toolstest.New(t), toolstest.New(t)
		path := r.TextFile("😀😀 one two 日本 😀")
		r.Content(path)
		other.Content(path)
		var got toolstest.Written
		r.Good("insert_document_text", toolstest.Dict{"path": "/" + path, "position": 2, "text": " a𝒷c\r\nd"}, &got)
		test.Eq(t, "Successfully inserted 6 characters at position 2", got.Message, test.Sprint("insert"))
		test.Eq(t, 2, got.Position, test.Sprint("insert"))
		test.Eq(t, 6, got.Length, test.Sprint("insert"))
		test.Eq(t, 21, got.Content, test.Sprint("insert"))
		test.False(t, got.Merged, test.Sprint("insert"))
		r.Good("delete_document_text", toolstest.Dict{"path": path, "position": 3, "length": 5}, &got)
		test.Eq(t, "Successfully deleted 5 characters from position 3", got.Message, test.Sprint("delete"))
		test.Eq(t, 3, got.Position, test.Sprint("delete"))
		test.Eq(t, 5, got.Length, test.Sprint("delete"))
		test.Eq(t, "a𝒷c\nd", got.Removed, test.Sprint("delete"))
		test.Eq(t, 16, got.Content, test.Sprint("delete"))
		r.Good("replace_document_text", toolstest.Dict{"path": path, "position": 4, "length": 3, "text": "1🏳️‍🌈"}, &got)
		test.Eq(t, "Successfully replaced 3 characters with 5 new characters at position 4", got.Message, test.Sprint("replace"))
		test.Eq(t, 3, got.Length, test.Sprint("replace"))
		test.Eq(t, 5, got.NewLength, test.Sprint("replace"))
		test.Eq(t, "one", got.Removed, test.Sprint("replace"))
		const want = "😀😀  1🏳️‍🌈 two 日本 😀"
		now := r.Content(path)
		test.Eq(t, want, now.Content)
		test.Eq(t, got.Revision, now.Revision)
		test.Eq(t, got.Content, now.Length)
		for end := time.Now().Add(time.Minute); other.Content(path).Content != want; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the other reads %q", other.Content(path).Content)
			}
		}
		r.FileIs(path, want)
		n := textfmt.Size(want)
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
			r.Bad(tool, args, "given revision is no longer known", "read it with")
			delete(args, "revision")
			args["path"] = r.Server.Notebook(t, "1")
			r.Bad(tool, args, "not a text document")
		}
		if now := r.Content(path).Content; now != want {
			t.Errorf("refused edits left %q", now)
		}
		// An edit that changes nothing succeeds.
		r.Good("delete_document_text", toolstest.Dict{"path": path, "position": n, "length": 0}, &got)
		r.Good("insert_document_text", toolstest.Dict{"path": path, "position": 0, "text": ""}, &got)
		now = r.Content(path)
		test.Eq(t, want, now.Content)
		test.Eq(t, got.Revision, now.Revision)
	})
}

// Positions refer to the text that the client was last shown: text that others have typed since is kept, and shifts them.
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
				now := doc.Text().String() // does not show it to a client
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
		test.True(t, got.Merged, test.Sprint("carried over"))
		test.Eq(t, "beta", got.Removed, test.Sprint("carried over"))
		test.Eq(t, 23, got.Position, test.Sprint("carried over"))
		const merged = "😀 new first line\nalpha BETA gamma\nsecond line\n"
		sees(merged)
		// Text that it has not seen since stays, wherever it is now.
		r.Good("overwrite_document", toolstest.Dict{"path": path, "content": "alpha BETA gamma\nsecond line\n"}, &got)
		sees(merged)
		// The revision from the answer defines its positions, but does not mean that the client has read the text.
		last := got.Revision
		r.Bad("delete_document_text", toolstest.Dict{"path": path, "position": 0, "length": 2, "revision": last}, "nothing was changed", "read on from position 0")
		r.Content(path)
		got = toolstest.Written{}
		r.Good("delete_document_text", toolstest.Dict{"path": path, "position": 0, "length": 2, "revision": last}, &got)
		test.Eq(t, "😀 ", got.Removed, test.Sprint("with a revision"))
		test.False(t, got.Merged, test.Sprint("with a revision"))
		if now := r.Content(path).Content; now != strings.TrimPrefix(merged, "😀 ") {
			t.Errorf("it reads %q", now)
		}
		// An older revision can be named too; if both changed the same words, nothing is written.
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

// Text that a client was shown before its document was closed is remembered.
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
