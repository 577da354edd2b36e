package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// types makes a person type keys at the end of a text, one after the other.
func (p *textPlace) types(keys int) {
	p.T.Helper()
	doc, err := p.Work.OpenText(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	for range keys {
		if err := doc.Text().Edit("type", func(e *ydoc.TextEditor) error { return e.SetText(e.String() + "k") }); err != nil {
			p.T.Fatal(err)
		}
	}
	if err := doc.Settled(p.T.Context()); err != nil {
		p.T.Fatal(err)
	}
}

// A change of a text document is merged with any number of keys typed elsewhere in it, at once and after the document was
// closed, and repeating the call undoes none of them.
func TestTextMergeAfterManyKeys(t *testing.T) {
	for tool, c := range textWriters {
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, keys := range []int{10, 70, 400} {
					for _, left := range []bool{false, true} {
						p := &textPlace{Rig: r, path: r.TextFile(threeLines)}
						p.read(0, 100)
						p.types(keys)
						if left {
							p.leave()
						}
						args, typed := toolstest.With(c.args, "path", p.path), strings.Repeat("k", keys)
						p.Good(tool, args, nil)
						want := "first line.\nthe third, a line\n"
						switch tool {
						case "insert_document_text":
							want = "first line.\nnew\ntwo\nthe third, a line\n"
						case "replace_document_text":
							want = "first line.\n2\nthe third, a line\n"
						}
						if now := p.now(); now != want+typed {
							t.Errorf("%d keys, left %t: %q", keys, left, now)
						}
						if tool != "overwrite_document" && tool != "edit_text" {
							continue // a position refers to the last answer
						}
						for range 2 {
							p.types(1)
							typed += "k"
							p.Call(tool, args)
							if now := p.now(); now != want+typed {
								t.Errorf("%d keys, left %t, the same again: %q", keys, left, now)
							}
						}
					}
				}
			})
		})
	}
}

// A change of words that another participant has changed is refused, and again, also after another key; force right after
// that succeeds, and keeps text typed since.
func TestTextForceBehindARefusal(t *testing.T) {
	for _, more := range []string{"", strings.Repeat("a line of a long text\n", 500)} {
		for tool, args := range map[string]toolstest.Dict{
			"overwrite_document":    {"content": strings.Replace(threeLines, "two", "mine", 1) + more},
			"replace_document_text": {"position": 12, "length": 3, "text": "mine"},
			"delete_document_text":  {"position": 12, "length": 4},
			"edit_text":             {"old_text": "two", "new_text": "mine"},
		} {
			t.Run(fmt.Sprintf("%s/%d characters", tool, len(more)), func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					p := &textPlace{Rig: toolstest.New(t)}
					p.path = p.TextFile(threeLines + more)
					p.read(0, 400_000)
					typed := strings.Replace(threeLines, "two", "typed é", 1) + more
					p.person(typed)
					args := toolstest.With(args, "path", p.path)
					refuses := func(when string) {
						t.Helper()
						text := toolstest.MessageOf(p.Call(tool, args))
						if now := p.now(); now != typed {
							t.Fatalf("%s: answered %s; the text is %.60q", when, text, now)
						}
					}
					refuses("at first")
					refuses("again")
					p.types(1)
					typed += "k"
					refuses("after a key")
					refuses("again after a key")
					if tool != "overwrite_document" {
						return
					}
					p.person("later\n" + typed)
					p.Good(tool, toolstest.With(args, "force", true), nil)
					if now := p.now(); now != "later\n"+strings.Replace(threeLines, "two", "mine", 1)+more {
						t.Errorf("%.60q …", now)
					}
				})
			})
		}
	}
}

// Tools that write documents do not change or remove a message of a chat: messages are only added.
func TestChatIsOnlyAddedTo(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.NewOn(t, jupytertest.Start(t, jupytertest.WithChat(t)))
		path := r.Server.Write(t, r.Server.Name(t, ".chat"), "{}")
		ada := sessiontest.Talks(t, r.Server, jupyter.MustPath(path), awareness.User{Username: "ada", Name: "Ada", DisplayName: "Ada"})
		ada.Says(chatdoc.Outgoing{Body: "two\nwas typed"})
		id := ada.Says(chatdoc.Outgoing{Body: "and more"})
		r.Call("get_document_content", toolstest.Dict{"path": path})
		calls := maps.Clone(textWriters)
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			for _, force := range []bool{false, true} {
				args := toolstest.With(calls[name].args, "path", path)
				if force {
					if name != "overwrite_document" {
						continue
					}
					args["force"] = true
				}
				res := r.Call(name, args)
				time.Sleep(3 * time.Second) // the server may load the written file
				all := ada.Messages()
				if len(all) != 2 || all[0].Body != "two\nwas typed" || all[1].ID != id {
					b, _ := json.Marshal(all)
					t.Errorf("%s: answered %s; the messages are %s", name, toolstest.MessageOf(res), b)
				}
			}
		}
	})
}
