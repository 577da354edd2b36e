package document_test

import (
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// A watched server records the joined rooms, and runs a function before the first request of a kind.
type watched struct {
	*jupytertest.Server // as the tools see it
	behind              *jupytertest.Server

	mu     sync.Mutex
	rooms  []string // the joined rooms
	method string
	prefix string
	do     func()
}

func watch(t *testing.T) *watched {
	w := &watched{behind: jupytertest.Shared(t)}
	w.Server = sessiontest.Front(t, w.behind, func(next *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.mu.Lock()
			if room, ok := strings.CutPrefix(r.URL.Path, "/api/collaboration/room/"); ok {
				w.rooms = append(w.rooms, room)
			}
			do := w.do
			if do != nil && r.Method == w.method && strings.HasPrefix(r.URL.Path+"?"+r.URL.RawQuery, w.prefix) {
				w.do = nil
			} else {
				do = nil
			}
			w.mu.Unlock()
			if do != nil {
				do()
			}
			next.ServeHTTP(rw, r)
		})
	})
	return w
}

// before runs do before the next request with this method whose address begins with prefix.
func (w *watched) before(method, prefix string, do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.method, w.prefix, w.do = method, prefix, do
}

// done checks that the function has run.
func (w *watched) done(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.do != nil {
		t.Errorf("there was no %s %s: the test shows nothing", w.method, w.prefix)
	}
}

// nobody checks that no room was joined.
func (w *watched) nobody(t *testing.T, what string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rooms) > 0 {
		t.Errorf("%s: the rooms %q were joined", what, w.rooms)
	}
}

// contentOf returns the content from get_document_info.
func contentOf(r *toolstest.Rig, path string) string {
	r.T.Helper()
	texts := toolstest.TextsOf(r.Good("get_document_info", toolstest.Dict{"path": path, "include_content": true}, nil))
	return texts[2]
}

// Reading the properties and content of a document that is not open, copying and overwriting it do not open a room.
func TestNoRoomForAFile(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		w := watch(t)
		r := toolstest.NewOn(t, w.Server)
		md, nb := w.behind.Write(t, w.behind.Name(t, ".md"), "one\r\ntwo\r\n"), w.behind.Notebook(t, "a = 1", "b = 2")
		known := w.behind.Notebook(t, "a = 1", "b = 2") // a file that has an id, like one that was open before
		if _, err := r.Srv.Rooms.Session(t.Context(), jupyter.MustPath(known), "json", "notebook"); err != nil {
			t.Fatal(err)
		}
		for path, c := range map[string]struct{ is, put, file string }{
			md:    {"one\ntwo\n", "one\n2\n", "one\n2\n"},
			nb:    {`"source": "b = 2"`, toolstest.Book("c0:a = 1", "c1:b = 3"), `"b = 3"`},
			known: {`"source": "b = 2"`, toolstest.Book("c0:a = 1", "c1:b = 3"), `"b = 3"`},
		} {
			r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": c.put}, "nothing was changed", "never shown")
			if now := contentOf(r, path); !strings.Contains(now, c.is) {
				t.Errorf("the content of %s is %q", path, now)
			}
			r.Good("copy_document", toolstest.Dict{"path": path, "copyPath": "copy-" + path}, nil)
			var first, again document.OverwriteResult
			r.Good("overwrite_document", toolstest.Dict{"path": path, "content": c.put, "force": true}, &first)
			now := r.Server.Read(t, path)
			test.StrContains(t, now, c.file, test.Sprint("overwritten"))
			test.False(t, first.Merged, test.Sprint("overwritten"))
			test.NotEq(t, "", first.Revision, test.Sprint("overwritten"))
			was := r.Server.Read(t, "copy-"+path)
			test.StrNotContains(t, was, c.file)
			test.NotEq(t, "", was)
			// The author knows the written text and its revision, but not the revision of another content.
			r.Good("overwrite_document", toolstest.Dict{"path": path, "content": c.put, "revision": first.Revision}, &again)
			if again.Revision != first.Revision {
				t.Errorf("the same again: %+v, before %+v", again, first)
			}
			r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": strings.ReplaceAll(c.put, "3", "4") + " ", "revision": "-other"}, "")
			// Text written by another program is not overwritten unread.
			w.behind.Write(t, path, strings.NewReplacer("2\n", "zwei\n", "b = 3", "b = zwei").Replace(r.Server.Read(t, path)))
			r.Bad("overwrite_document", toolstest.Dict{"path": path, "content": strings.NewReplacer("2", "II", "b = 3", "b = II").Replace(c.put)}, "changed")
			if now := r.Server.Read(t, path); !strings.Contains(now, "zwei") {
				t.Errorf("what another program wrote is gone: %q", now)
			}
			r.Good("overwrite_document", toolstest.Dict{"path": path, "content": c.put, "force": true}, nil)
			now = r.Server.Read(t, path)
			test.StrContains(t, now, c.file)
			test.StrNotContains(t, now, "zwei")
		}
		w.nobody(t, "of files that nobody has open")
		// The room recognises text that was read and written through the file.
		r.Good("insert_document_text", toolstest.Dict{"path": md, "position": 0, "text": "zero\n"}, nil)
		r.FileIs(md, "zero\none\n2\n")
	})
}

// If a person has a notebook open, or another program a text, the room is shown, copied and written.
func TestRoomOfAPerson(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		w := watch(t)
		r, other := toolstest.NewOn(t, w.Server), sessiontest.Manager(t, w.behind, session.Config{})
		nb, md := w.behind.Notebook(t, "a = 1", "b = 2"), w.behind.Write(t, w.behind.Name(t, ".md"), "one\ntwo\n")
		person, text := sessiontest.PersonIn(t, r.Srv, nb), sessiontest.OpenText(t, other, md)
		person.Show(map[string]any{"autosave": false})
		if err := person.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource("c0", "a = 'typed'") }); err != nil {
			t.Fatal(err)
		}
		typeInto(t, text, "typed\n")
		for path, typed := range map[string]string{nb: "a = 'typed'", md: "typed\n"} {
			toolstest.Soon(t, "what was typed is shown", func() bool { return strings.Contains(contentOf(r, path), typed) })
			r.Good("copy_document", toolstest.Dict{"path": path, "copyPath": "copy-" + path}, nil)
			if now := r.Server.Read(t, "copy-"+path); !strings.Contains(now, typed) {
				t.Errorf("the copy is %q", now)
			}
		}
		r.Good("overwrite_document", toolstest.Dict{"path": nb, "content": toolstest.Book("c0:a = 'typed'", "c1:b = 3")}, nil)
		sessiontest.Eventually(t, "the person sees it", func() bool {
			c, _ := person.Notebook.Cell("c1")
			return c.Source == "b = 3"
		})
		r.Good("overwrite_document", toolstest.Dict{"path": md, "content": "typed\none\n2\n"}, nil)
		sessiontest.Eventually(t, "the other sees it", func() bool { return text.Text().String() == "typed\none\n2\n" })
	})
}

// typeInto inserts a text at the beginning.
func typeInto(t *testing.T, d *session.Document, text string) {
	t.Helper()
	if err := d.EditText(t.Context(), "type", func(e *ydoc.TextEditor) error { return e.Replace(0, 0, text) }); err != nil {
		t.Error(err)
	}
}

// Opening a document while it is read, copied or overwritten through its file is noticed: neither typed text nor the new
// content is lost.
func TestOpenedMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		method, prefix string // of the request before which it is opened; $ is the path
		typed          string
		tool           string
		shows, file    string // the call's answer, and the final content of file and room
	}{
		"read":                  {"GET", "/api/contents/$?content=1&format=text&hash=1", "typed\n", "get_document_info", "typed\none\n", "typed\none\n"},
		"copied":                {"POST", "/api/contents", "typed\n", "copy_document", "typed\none\n", "typed\none\n"},
		"before the write":      {"GET", "/api/contents/$?content=0&hash=1", "typed\n", "overwrite_document", "", "typed\ntwo\n"},
		"at the write":          {"PUT", "/api/contents/$", "typed\n", "overwrite_document", "", "typed\ntwo\n"},
		"at the write, unread":  {"PUT", "/api/contents/$", "", "overwrite_document", "", "two\n"},
		"before, and unread":    {"GET", "/api/contents/$?content=0&hash=1", "", "overwrite_document", "", "two\n"},
		"behind the last write": {"", "", "typed\n", "overwrite_document", "", "typed\ntwo\n"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				w := watch(t)
				r, other := toolstest.NewOn(t, w.Server), sessiontest.Manager(t, w.behind, session.Config{})
				path := w.behind.Write(t, w.behind.Name(t, ".md"), "one\n")
				contentOf(r, path)
				var theirs *session.Document
				open := func() {
					d, err := other.OpenText(t.Context(), jupyter.MustPath(path))
					if err != nil {
						t.Error(err)
						return
					}
					theirs = d
					if c.typed != "" {
						typeInto(t, d, c.typed)
					}
				}
				if c.method != "" {
					w.before(c.method, strings.ReplaceAll(c.prefix, "$", path), open)
				}
				shown := ""
				switch c.tool {
				case "get_document_info":
					shown = contentOf(r, path)
				case "copy_document":
					r.Good(c.tool, toolstest.Dict{"path": path, "copyPath": "copy-" + path}, nil)
					shown = r.Server.Read(t, "copy-"+path)
				case "overwrite_document":
					r.Good(c.tool, toolstest.Dict{"path": path, "content": "two\n"}, nil)
				}
				w.done(t)
				if c.method == "" {
					open()
				}
				if theirs == nil {
					t.Fatal("nobody has opened it")
				}
				defer theirs.Release()
				if shown != c.shows {
					t.Errorf("shown is %q, want %q", shown, c.shows)
				}
				time.Sleep(3 * time.Second) // the server has checked the file, and saved
				sessiontest.Eventually(t, "the room has it", func() bool { return theirs.Text().String() == c.file })
				r.FileIs(path, c.file)
			})
		})
	}
}
