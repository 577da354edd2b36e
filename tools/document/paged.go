package document

import (
	"context"
	"errors"
	"strconv"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// A TextResult is a piece of a text, with the cursor of the next one.
type TextResult struct {
	ContentResult
	Cursor string `json:"next_cursor,omitempty" jsonschema:"If the text did not fit: the cursor for the next call."`
}

// ReadPaged answers with the text of a document that is not a notebook, from the cursor of an earlier answer on.
func ReadPaged(ctx context.Context, d *deps.Deps, path string, most *int, cursor string) (*tool.Answer, error) {
	piece := ContentArgs{Max: most}
	if cursor != "" {
		position, err := strconv.Atoi(cursor)
		if err != nil {
			return nil, errors.New("unknown cursor: pass the next_cursor of an earlier read unchanged, or none to start at the beginning")
		}
		piece.Position = position
	}
	doc, err := Open(ctx, d, path)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	var out TextResult
	finish, err := ReadText(ctx, d, doc, piece, &out.ContentResult)
	if err != nil {
		return nil, err
	}
	a := &tool.Answer{Body: &out, Doc: doc, Words: tool.Words(ctx, out.words(doc.Path()))}
	if err := finish(a); err != nil {
		return nil, err
	}
	if out.Next != nil {
		out.Cursor = strconv.Itoa(*out.Next)
	}
	return a, nil
}

// words returns the text under a line about the document.
func (r *TextResult) words(path jupyter.Path) func() plaintext.Text {
	return func() plaintext.Text {
		if r.Cursor == "" {
			return r.under(path)
		}
		return r.under(path, "next_cursor "+r.Cursor)
	}
}
