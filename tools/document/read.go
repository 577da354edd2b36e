package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// The default and the largest number of characters of content in an answer.
const (
	defaultContent = 32_768
	MaxContent     = 400_000
)

type readArgs struct {
	Path string `json:"path" jsonschema:"Document" validate:"min=1,max=path" ends:"path"`
	ContentArgs
}

// ContentArgs are the arguments of every tool that reads a text in pieces.
type ContentArgs struct {
	Max      *int `json:"max_content,omitempty" jsonschema:"Maximum characters to return." validate:"min=1,max=400000" default:"32768"`
	Position int  `json:"position,omitempty" jsonschema:"Where to begin" validate:"max=position" ends:"characters" default:"0"`
}

// A ContentResult is a piece of a text.
type ContentResult struct {
	Content   string `json:"content" jsonschema:"The document's text, from position on."`
	Truncated bool   `json:"truncated" jsonschema:"Whether more follows."`
	Length    int    `json:"content_length" jsonschema:"Length of the whole document" ends:"characters"`
	Revision  string `json:"revision" changes:"the document's content"`
	Next      *int   `json:"next_position,omitempty" jsonschema:"Where the rest begins, when truncated."`
	Fault     string `json:"fault,omitempty" jsonschema:"Why this file is not a valid notebook, with the line: repair the text, and overwrite the document with it."`
}

// getDocumentContent makes get_document_content.
func getDocumentContent(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "get_document_content",
		Title:       "Read a document",
		Description: "Reads a text document (Markdown, source code, data, …) as it is now, unsaved typing included. Use it before editing. Continue a longer one from next_position. For a notebook it returns the file's JSON, which is long.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.DocumentResultOf[ContentResult](nil),
		Call: tool.Typed(func(ctx context.Context, args readArgs) (*tool.Answer, error) {
			doc, err := Open(ctx, d, args.Path)
			if broken, ok := errors.AsType[*files.BrokenError](err); ok {
				return readBroken(ctx, d, broken, args.ContentArgs)
			}
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			var out ContentResult
			finish, err := ReadText(ctx, d, doc, args.ContentArgs, &out)
			if err != nil {
				return nil, err
			}
			a := &tool.Answer{Body: &out, Doc: doc, Words: tool.Words(ctx, out.words(doc.Path(), args.Position))}
			return a, finish(a)
		}),
	}
}

// words returns the text under a line that says which part of the document it is.
func (r *ContentResult) words(path jupyter.Path, from int) func() plaintext.Text {
	return func() plaintext.Text {
		var notes []string
		if r.Truncated || from > 0 {
			notes = append(notes, fmt.Sprintf("from %s", textfmt.Thousands(from)))
		}
		if r.Next != nil {
			notes = append(notes, fmt.Sprintf("the rest begins at position %d", *r.Next))
		}
		return r.under(path, notes...)
	}
}

// under returns the text under a line about the document, with notes.
func (r *ContentResult) under(path jupyter.Path, notes ...string) plaintext.Text {
	t := plaintext.Text{First: path.String() + ", " + textfmt.Plural(r.Length, "character") + ", revision " + r.Revision, Notes: notes, Tail: &r.Content}
	if plaintext.Hides(r.Content) {
		t.Note("with hidden characters")
	}
	t.Note(r.Fault)
	return t
}

// ReadText puts the requested part of an open document into out. finish must be called with the answer: it shortens the part
// until the answer fits, and records the shown text as read.
func ReadText(ctx context.Context, d *deps.Deps, doc *session.Document, args ContentArgs, out *ContentResult) (finish func(*tool.Answer) error, err error) {
	r, err := asTextOf(ctx, d, doc)
	if err != nil {
		return nil, err
	}
	out.Revision = target.Revision(r.rev)
	return readPiece(r.all, args, out, r.shown)
}

// An asText is the content of a document as one text.
type asText struct {
	all   string
	rev   ydoc.Revision
	shown func(from, to int) // records which of its bytes are in an answer
}

func asTextOf(ctx context.Context, d *deps.Deps, doc readable) (r asText, err error) {
	client := tool.ClientOf(ctx)
	if t := doc.Text(); t != nil {
		r.all, r.rev = t.Read()
		r.shown = func(from, to int) { doc.As(client).ShowText(r.all, r.rev, from, to) }
		return r, nil
	}
	var sealed ydoc.Revision
	open, joined := doc.(*session.Document)
	if joined {
		sealed = target.Now(open)
		target.Touch(ctx, open, open.Notebook().IDs()...)
	}
	content, rev, shown := doc.As(client).ReadNotebook()
	if r.rev = rev; joined {
		r.rev = sealed
	}
	r.shown = func(from, to int) {
		if d.Pieces.Read(client, doc.Path(), r.all, from, to) {
			shown()
		}
	}
	r.all, err = notebookText(content)
	return r, err
}

// readPiece puts the requested part of a text into out; shown is called with the range of its bytes in the answer.
func readPiece(all string, args ContentArgs, out *ContentResult, shown func(from, to int)) (finish func(*tool.Answer) error, err error) {
	runes := []rune(all)
	if args.Position < 0 || args.Position > len(runes) {
		return nil, fmt.Errorf("position %d is out of range: the document has %s", args.Position, textfmt.Plural(len(runes), "character"))
	}
	out.Length = len(runes)
	keep := func(n int) {
		end := args.Position + n
		out.Content = string(runes[args.Position:end])
		if out.Truncated = end < len(runes); out.Truncated {
			out.Next = &end
		}
	}
	n := min(len(runes)-args.Position, tool.ValueOr(args.Max, defaultContent))
	keep(n)
	return func(a *tool.Answer) error {
		if err := a.TrimTo(n, keep); err != nil {
			return err
		}
		from := byteOffset(all, args.Position)
		shown(from, from+len(out.Content))
		return nil
	}, nil
}

// notebookText returns a notebook as the JSON of its file.
func notebookText(content map[string]any) (string, error) {
	b, err := tool.Indented(pyjson.Literals(content), " ")
	if err != nil {
		return "", tool.Fault{Err: fmt.Errorf("write a notebook as JSON: %w", err)}
	}
	return string(pyjson.Python(b)) + "\n", nil
}
