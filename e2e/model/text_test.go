package model_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/poll"
)

// text is the model of a text document.
type text struct {
	*caller
	path  string
	files int
	now   []rune
}

// read returns the document's text from the tools, in pages of a drawn size.
func (m *text) read(t *rapid.T, page int) string {
	t.Helper()
	all, at := "", 0
	for {
		var got struct {
			Content   string `json:"content"`
			Truncated bool   `json:"truncated"`
			Length    int    `json:"content_length"`
			Next      int    `json:"next_position"`
		}
		m.do(t, "get_document_content", dict{"path": m.path, "position": at, "max_content": page}, &got)
		all += got.Content
		if got.Length != len(m.now) {
			t.Fatalf("content_length is %d, want %d", got.Length, len(m.now))
		}
		if !got.Truncated {
			return all
		}
		at = got.Next
	}
}

func (m *text) span(t *rapid.T) (position, length int) {
	position = rapid.IntRange(0, len(m.now)).Draw(t, "position")
	return position, rapid.IntRange(0, len(m.now)-position).Draw(t, "length")
}

func (m *text) put(position, length int, s string) {
	rest := append([]rune(s), m.now[position+length:]...)
	m.now = append(m.now[:position:position], rest...)
}

func TestTextAgainstModel(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	base := c.server.Name(t, "")
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		m := &text{caller: c, path: fmt.Sprintf("%s-%d 日#%%.md", base, n)}
		initial := someText(t, "initial")
		m.now = []rune(stored(initial))
		m.do(t, "create_document", dict{"path": m.path, "type": "markdown", "content": initial}, nil)
		type done struct {
			Position  int    `json:"position"`
			Length    int    `json:"length"`
			NewLength int    `json:"new_length"`
			Content   int    `json:"content_length"`
			Removed   string `json:"removed_text"`
			Merged    bool   `json:"merged"`
		}
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				at, s := rapid.IntRange(0, len(m.now)).Draw(t, "position"), someText(t, "text")
				var got done
				m.do(t, "insert_document_text", dict{"path": m.path, "position": at, "text": s}, &got)
				m.put(at, 0, stored(s))
				if want := (done{Position: at, Length: len([]rune(stored(s))), Content: len(m.now)}); got != want {
					t.Fatalf("insert answers %+v, want %+v", got, want)
				}
			},
			"delete": func(t *rapid.T) {
				at, length := m.span(t)
				want := done{Position: at, Length: length, Removed: string(m.now[at : at+length]), Content: len(m.now) - length}
				var got done
				m.do(t, "delete_document_text", dict{"path": m.path, "position": at, "length": length}, &got)
				m.put(at, length, "")
				if length <= 1000 && got != want {
					t.Fatalf("delete answers %+v, want %+v", got, want)
				}
			},
			"replace": func(t *rapid.T) {
				at, length := m.span(t)
				s := someText(t, "text")
				var got done
				m.do(t, "replace_document_text", dict{"path": m.path, "position": at, "length": length, "text": s}, &got)
				m.put(at, length, stored(s))
				must.Eq(t, at, got.Position)
				must.Eq(t, length, got.Length)
				must.Eq(t, len([]rune(stored(s))), got.NewLength)
				must.Eq(t, len(m.now), got.Content)
				must.False(t, got.Merged)
			},
			"overwrite": func(t *rapid.T) {
				s := someText(t, "text")
				m.do(t, "overwrite_document", dict{"path": m.path, "content": s}, nil)
				m.now = []rune(stored(s))
			},
			"out of range": func(t *rapid.T) {
				over := len(m.now) + rapid.IntRange(1, 5).Draw(t, "over")
				m.refuse(t, "insert_document_text", dict{"path": m.path, "position": over, "text": "x"})
				m.refuse(t, "delete_document_text", dict{"path": m.path, "position": 0, "length": over})
				m.refuse(t, "replace_document_text", dict{"path": m.path, "position": -1, "length": 1, "text": "x"})
			},
			// Slow actions are less frequent.
			"file": func(t *rapid.T) {
				m.files++
				switch rapid.SampledFrom([]string{"end the session", "rename", "copy"}).Draw(t, "what") {
				case "end the session":
					m.do(t, "end_document_session", dict{"path": m.path}, nil)
				case "rename":
					to := fmt.Sprintf("%s-%d-%d 😀.md", base, n, m.files)
					m.do(t, "rename_document", dict{"path": m.path, "newPath": to}, nil)
					m.refuse(t, "get_document_content", dict{"path": m.path})
					m.path = to
				case "copy":
					to := fmt.Sprintf("%s-%d-%d copy.md", base, n, m.files)
					m.do(t, "copy_document", dict{"path": m.path, "copyPath": to}, nil)
					got, err := m.file(to)
					must.NoError(t, err)
					must.Eq(t, string(m.now), stored(got))
					m.do(t, "delete_document", dict{"path": to}, nil)
				}
			},
			"": func(t *rapid.T) {
				if got := m.read(t, rapid.IntRange(1, 50).Draw(t, "page")+len(m.now)/5); got != string(m.now) {
					t.Fatalf("it reads %q, want %q", got, string(m.now))
				}
			},
		})
		if err := poll.Until(c.ctx, "the file to hold all", func(context.Context) error {
			got, err := m.file(m.path)
			if err == nil && got != string(m.now) {
				err = fmt.Errorf("%q, want %q", got, string(m.now))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	})
}
