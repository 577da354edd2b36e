package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/session/words"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/nbduet/nbduet/tools/document"
)

// written is what the answers about edits of a text have in common.
type written struct {
	Message   string `json:"message"`
	Position  int    `json:"position"`
	Length    int    `json:"length"`
	NewLength int    `json:"new_length"`
	Removed   string `json:"removed_text"`
	Content   int    `json:"content_length"`
	Revision  string `json:"revision"`
	Merged    bool   `json:"merged"`
}

// content is the whole of a document, as the tool reads it.
func (r *rig) content(path string) document.ContentResult {
	r.t.Helper()
	var out document.ContentResult
	r.good("get_document_content", dict{"path": path, "max_content": document.MaxContent}, &out)
	return out
}

// textFile writes a text file with a name of the test's own.
func (r *rig) textFile(content string) string {
	r.t.Helper()
	return r.server.Write(r.t, r.server.Name(r.t, " é#%?.md"), content)
}

// onDisk waits until a file has a content.
func (r *rig) fileIs(path, want string) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); r.server.Read(r.t, path) != want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("%s holds %q, want %q", path, r.server.Read(r.t, path), want)
		}
	}
}

func TestGetDocumentContent(t *testing.T) {
	r := newRig(t)
	path := r.textFile("# Document 😀\r\n\r\nThis is a sample.\n")
	const text = "# Document 😀\n\nThis is a sample.\n"
	got := r.content("/" + path)
	if got.Content != text || got.Truncated || got.Length != words.Size(text) || got.Revision == "" || got.Next != nil {
		t.Errorf("all of it: %+v", got)
	}
	got = document.ContentResult{}
	r.good("get_document_content", dict{"path": path, "max_content": 12}, &got)
	if got.Content != "# Document 😀" || !got.Truncated || got.Length != words.Size(text) || got.Next == nil || *got.Next != 12 {
		t.Errorf("its start: %+v", got)
	}
	got = document.ContentResult{}
	r.good("get_document_content", dict{"path": path, "position": 12}, &got)
	if got.Content != "\n\nThis is a sample.\n" || got.Truncated || got.Length != words.Size(text) {
		t.Errorf("its rest: %+v", got)
	}
	r.bad("get_document_content", dict{"path": path, "position": 33}, "position 33 is out of range: the document has 32 characters")
	r.bad("get_document_content", dict{"path": path, "position": -1}, "position -1 is out of range")
	r.bad("get_document_content", dict{"path": r.server.Name(t, ".md")}, "there is no document", "list_documents")
	r.bad("get_document_content", dict{"path": ""}, "path has 0 characters")
	r.bad("get_document_content", dict{"path": "/"}, "root folder")
	r.bad("get_document_content", dict{"path": r.server.Write(t, r.server.Name(t, ".bin"), "\xff\x00\xfe")}, "not UTF-8 text")
	r.good("get_document_content", dict{"path": r.server.Write(t, r.server.Name(t, ".md"), "")}, &got)
	if got.Content != "" || got.Length != 0 || got.Truncated {
		t.Errorf("an empty one: %+v", got)
	}
	// What does not fit in one answer is cut, however it is escaped.
	long := r.textFile(strings.Repeat("\x01<\"\u2028", 100_000))
	got = r.content(long)
	if !got.Truncated || got.Length != 400_000 || got.Next == nil || *got.Next != words.Size(got.Content) || *got.Next < 10_000 {
		t.Errorf("a long one: %d characters, next %v", words.Size(got.Content), got.Next)
	}

	nb := r.server.Notebook(t, "x = '😀'")
	var book struct {
		Cells []struct{ ID, Source string }
	}
	if err := json.Unmarshal([]byte(r.content(nb).Content), &book); err != nil || len(book.Cells) != 1 || book.Cells[0].ID != "c0" || book.Cells[0].Source != "x = '😀'" {
		t.Errorf("a notebook: %+v, %v", book, err)
	}
}

// The seed's own examples: the results' fields and messages, in the room and on
// disk, with characters beyond 16 bits before and after.
func TestEditDocumentText(t *testing.T) {
	r, other := newRig(t), newRig(t)
	path := r.textFile("😀😀 one two 日本 😀")
	other.content(path)
	var got written
	r.good("insert_document_text", dict{"path": "/" + path, "position": 2, "text": " a𝒷c\r\nd"}, &got)
	if got.Message != "Successfully inserted 6 characters at position 2" || got.Position != 2 || got.Length != 6 || got.Content != 21 || got.Merged {
		t.Errorf("insert: %+v", got)
	}
	r.good("delete_document_text", dict{"path": path, "position": 3, "length": 5}, &got)
	if got.Message != "Successfully deleted 5 characters from position 3" || got.Position != 3 || got.Length != 5 || got.Removed != "a𝒷c\nd" || got.Content != 16 {
		t.Errorf("delete: %+v", got)
	}
	r.good("replace_document_text", dict{"path": path, "position": 4, "length": 3, "text": "1🏳️‍🌈"}, &got)
	if got.Message != "Successfully replaced 3 characters with 5 new characters at position 4" || got.Length != 3 || got.NewLength != 5 || got.Removed != "one" {
		t.Errorf("replace: %+v", got)
	}
	const want = "😀😀  1🏳️‍🌈 two 日本 😀"
	if now := r.content(path); now.Content != want || now.Revision != got.Revision || now.Length != got.Content {
		t.Errorf("it reads %+v, want %q", now, want)
	}
	for end := time.Now().Add(time.Minute); other.content(path).Content != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the other reads %q", other.content(path).Content)
		}
	}
	r.fileIs(path, want)
	n := words.Size(want)
	for tool, args := range map[string]dict{
		"insert_document_text":  {"text": "x", "position": n + 1},
		"delete_document_text":  {"position": n - 2, "length": 3},
		"replace_document_text": {"position": n - 2, "length": 3, "text": "x"},
	} {
		args["path"] = path
		r.bad(tool, args, "out of range", "nothing was changed")
		args["position"] = -1
		r.bad(tool, args, "position -1 is out of range")
		args["position"], args["length"] = 0, -1
		if tool != "insert_document_text" {
			r.bad(tool, args, "length is -1, the minimum is 0")
		}
		delete(args, "length")
		args["position"] = 0
		if tool != "insert_document_text" {
			r.bad(tool, args, `"length" is missing`)
			args["length"] = 0
		}
		args["revision"] = "x"
		r.bad(tool, args, `revision "x" is not a revision`)
		args["revision"] = "1"
		r.bad(tool, args, "revision 1 is not remembered", "read it again")
		delete(args, "revision")
		args["path"] = r.server.Notebook(t, "1")
		r.bad(tool, args, "not a text document")
	}
	if now := r.content(path).Content; now != want {
		t.Errorf("refused edits left %q", now)
	}
	// Nothing to do is done.
	r.good("delete_document_text", dict{"path": path, "position": n, "length": 0}, &got)
	r.good("insert_document_text", dict{"path": path, "position": 0, "text": ""}, &got)
	if now := r.content(path); now.Content != want || now.Revision != got.Revision {
		t.Errorf("edits of nothing left %+v", now)
	}
}

// Positions mean the text as the client was last shown it: what another has
// typed since is kept, and shifts them.
func TestPositionsAreCarriedOver(t *testing.T) {
	r, other := newRig(t), newRig(t)
	path := r.textFile("alpha beta gamma\nsecond line\n")
	base := r.content(path).Revision
	sees := func(want string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			doc, err := r.work.OpenText(t.Context(), path)
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
	other.good("insert_document_text", dict{"path": path, "position": 0, "text": "😀 new first line\n"}, nil)
	sees("😀 new first line\nalpha beta gamma\nsecond line\n")

	var got written
	r.good("replace_document_text", dict{"path": path, "position": 6, "length": 4, "text": "BETA"}, &got)
	if !got.Merged || got.Removed != "beta" || got.Position != 23 {
		t.Errorf("carried over: %+v", got)
	}
	const merged = "😀 new first line\nalpha BETA gamma\nsecond line\n"
	sees(merged)
	// It does not know what it has before it now.
	r.bad("delete_document_text", dict{"path": path, "position": 0, "length": 5}, "nothing was changed", "read it again")
	r.bad("overwrite_document", dict{"path": path, "content": "x"}, "nothing was changed", "read it again")
	// With the revision that it had from the answer it does.
	last := got.Revision
	got = written{}
	r.good("delete_document_text", dict{"path": path, "position": 0, "length": 2, "revision": last}, &got)
	if got.Removed != "😀 " || got.Merged {
		t.Errorf("with a revision: %+v", got)
	}
	if now := r.content(path).Content; now != strings.TrimPrefix(merged, "😀 ") {
		t.Errorf("it reads %q", now)
	}
	// An older revision can be named too; where both changed the same words nothing is written.
	r.bad("replace_document_text", dict{"path": path, "position": 6, "length": 4, "text": "other", "revision": base}, "nothing was changed", "Their change", "BETA", "other")
	r.good("insert_document_text", dict{"path": path, "position": 29, "text": "the end\n", "revision": base}, &got)
	if !got.Merged {
		t.Errorf("from the first revision: %+v", got)
	}
	if now := r.content(path).Content; now != strings.TrimPrefix(merged, "😀 ")+"the end\n" {
		t.Errorf("it reads %q", now)
	}
}

// What a client was shown before its document was closed is not forgotten.
func TestShownTextIsRememberedAcrossSessions(t *testing.T) {
	r, other := newRig(t), newRig(t)
	path := r.textFile("one\n")
	r.content(path)
	r.good("end_document_session", dict{"path": path}, nil)
	r.good("insert_document_text", dict{"path": path, "position": 3, "text": " more"}, nil)
	r.good("end_document_session", dict{"path": path}, nil)
	other.content(path)
	other.good("insert_document_text", dict{"path": path, "position": 0, "text": "zero\n"}, nil)
	other.good("end_document_session", dict{"path": path}, nil)
	r.bad("insert_document_text", dict{"path": path, "position": 3, "text": "x"}, "nothing was changed", "read it again")
	if now := r.content(path).Content; now != "zero\none more\n" {
		t.Errorf("it reads %q", now)
	}
	r.good("insert_document_text", dict{"path": path, "position": 0, "text": "x"}, nil)
}

func textsOf(res *mcp.CallToolResult) (out []string) {
	for _, c := range res.Content {
		if text, ok := c.(mcp.TextContent); ok {
			out = append(out, text.Text)
		}
	}
	return out
}
