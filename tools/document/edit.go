package document

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

type insertTextArgs struct {
	Path     string `json:"path" jsonschema:"Text document" validate:"min=1,max=path" ends:"path"`
	Position int    `json:"position" jsonschema:"Where to insert: 0 is the start, the document's length the end" validate:"max=position" ends:"characters"`
	Text     string `json:"text" jsonschema:"Text to insert." validate:"max=text" ends:"newlines"`
	Revision string `json:"revision,omitempty" jsonschema:"The document's revision that the position refers to. Left out: the one you were last shown." validate:"min=1,max=20"`
}

type deleteTextArgs struct {
	Path     string `json:"path" jsonschema:"Text document" validate:"min=1,max=path" ends:"path"`
	Position int    `json:"position" jsonschema:"Where the text to delete begins" validate:"max=position" ends:"characters"`
	Length   int    `json:"length" jsonschema:"How much to delete" validate:"max=position" ends:"characters"`
	Revision string `json:"revision,omitempty" jsonschema:"The document's revision that position and length refer to. Left out: the one you were last shown." validate:"min=1,max=20"`
}

// replaceTextArgs are also used for the other edits: an insertion replaces nothing, a deletion inserts nothing.
type replaceTextArgs struct {
	Path     string `json:"path" jsonschema:"Text document" validate:"min=1,max=path" ends:"path"`
	Position int    `json:"position" jsonschema:"Where the text to replace begins" validate:"max=position" ends:"characters"`
	Length   int    `json:"length" jsonschema:"How much to replace" validate:"max=position" ends:"characters"`
	Text     string `json:"text" jsonschema:"Replacement text." validate:"max=text" ends:"newlines"`
	Revision string `json:"revision,omitempty" jsonschema:"The document's revision that position and length refer to. Left out: the one you were last shown." validate:"min=1,max=20"`
}

// textEdited is the last part of every edit's answer.
type textEdited struct {
	ContentLength int    `json:"content_length" jsonschema:"Length of the whole document now" ends:"characters"`
	Revision      string `json:"revision" changes:"the document's content"`
	Merged        bool   `json:"merged,omitempty" jsonschema:"true if others changed the document since the revision of this call: the edit was merged, and other positions have shifted. Read it again before the next edit."`
}

type insertTextResult struct {
	Message  string `json:"message"`
	Position int    `json:"position" jsonschema:"Where the text is now" ends:"characters"`
	Length   int    `json:"length" jsonschema:"Length of the inserted text."`
	textEdited
}

// insertDocumentText makes insert_document_text.
func insertDocumentText(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "insert_document_text",
		Title:       "Insert text into a document",
		Description: "Inserts text at a position in a text document as last shown to you. Use it to add to a document without touching the rest. Text that people typed since is kept; if both changed the same place, nothing is written and the differences are returned.",
		Output:      tool.DocumentResultOf[insertTextResult](nil),
		Call: tool.Typed(func(ctx context.Context, args insertTextArgs) (*tool.Answer, error) {
			return editText(ctx, d, replaceTextArgs{
				Path: args.Path, Position: args.Position, Text: args.Text, Revision: args.Revision,
			}, "insert text", func(done editDone) any {
				return insertTextResult{
					fmt.Sprintf("Successfully inserted %s at position %d", textfmt.Plural(done.put, "character"), done.position),
					done.position, done.put, done.textEdited,
				}
			})
		}),
	}
}

type deleteTextResult struct {
	Message  string `json:"message"`
	Position int    `json:"position" jsonschema:"Where the text was" ends:"characters"`
	Length   int    `json:"length" jsonschema:"Length of the deleted text."`
	Removed  string `json:"removed_text" jsonschema:"The deleted text, cut in the middle if long."`
	textEdited
}

// deleteDocumentText makes delete_document_text.
func deleteDocumentText(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "delete_document_text",
		Title:       "Delete text from a document",
		Description: "Deletes length characters from position on in a text document as last shown to you. Read it first, and check removed_text afterwards. Text that people typed since is kept; if both changed the same words, nothing is written and the differences are returned.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[deleteTextResult](nil),
		Call: tool.Typed(func(ctx context.Context, args deleteTextArgs) (*tool.Answer, error) {
			return editText(ctx, d, replaceTextArgs{
				Path: args.Path, Position: args.Position, Length: args.Length, Revision: args.Revision,
			}, "delete text", func(done editDone) any {
				return deleteTextResult{
					fmt.Sprintf("Successfully deleted %s from position %d", textfmt.Plural(args.Length, "character"), done.position),
					done.position, args.Length, done.removed, done.textEdited,
				}
			})
		}),
	}
}

type replaceTextResult struct {
	Message   string `json:"message"`
	Position  int    `json:"position" jsonschema:"Where the text was" ends:"characters"`
	Length    int    `json:"length" jsonschema:"Length of the replaced text."`
	NewLength int    `json:"new_length" jsonschema:"Length of the new text."`
	Removed   string `json:"removed_text" jsonschema:"The replaced text, cut in the middle if long."`
	textEdited
}

// replaceDocumentText makes replace_document_text.
func replaceDocumentText(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "replace_document_text",
		Title:       "Replace text in a document",
		Description: "Replaces length characters from position on in a text document as last shown to you. Read it first, and check removed_text afterwards. Text that people typed since is kept; if both changed the same words, nothing is written and the differences are returned.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[replaceTextResult](nil),
		Call: tool.Typed(func(ctx context.Context, args replaceTextArgs) (*tool.Answer, error) {
			return editText(ctx, d, args, "replace text", func(done editDone) any {
				return replaceTextResult{
					fmt.Sprintf("Successfully replaced %s with %s at position %d", textfmt.Plural(args.Length, "character"), textfmt.Plural(done.put, "new character"), done.position),
					done.position, args.Length, done.put, done.removed, done.textEdited,
				}
			})
		}),
	}
}

// editDone is the result of an edit.
type editDone struct {
	position int    // in the text at the time of the edit
	removed  string // cut to size
	put      int    // length of the new text, in characters
	textEdited
}

// removedShown is the maximum shown length of a removed text, in characters.
const removedShown = 1000

// editText makes the edit, and answers with the body that result returns.
func editText(ctx context.Context, d *deps.Deps, args replaceTextArgs, name string, result func(editDone) any) (*tool.Answer, error) {
	doc, err := openText(ctx, d, args.Path)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	done, err := editOpen(ctx, doc, args, name)
	if err != nil {
		return nil, err
	}
	return &tool.Answer{Doc: doc, Body: result(done)}, nil
}

func editOpen(ctx context.Context, doc *session.Document, args replaceTextArgs, name string) (done editDone, err error) {
	put := textfmt.Lines(args.Text)
	done.put = textfmt.Size(put)
	changed, err := rewriteText(ctx, doc, args.Revision, name, "", func(base string) (readset.TextChange, error) {
		from, to, err := charSpan(base, args.Position, args.Length)
		if err != nil {
			return readset.TextChange{}, err
		}
		done.removed, _ = textfmt.Cut(base[from:to], removedShown)
		return readset.TextChange{From: from, To: to, Put: put}, nil
	})
	if err != nil {
		return done, err
	}
	text, at := changed.Text, changed.At
	if done.position = args.Position; at < 0 {
		at = byteOffset(text, done.position)
	} else {
		done.position = textfmt.Size(text[:at])
	}
	doc.Point(ctx, "", textdiff.UTF16Offset(text, min(len(text), at+len(put))))
	done.textEdited = editedOf(changed)
	return done, nil
}

// byteOffset returns the byte offset of the character at a position; the text's length if the position is past its end.
func byteOffset(text string, position int) int {
	count := 0
	for i := range text {
		if count == position {
			return i
		}
		count++
	}
	return len(text)
}

// charSpan returns the byte offsets at which the characters of position and length begin and end.
func charSpan(text string, position, length int) (from, to int, err error) {
	n := textfmt.Size(text)
	switch {
	case position < 0 || position > n:
		return 0, 0, fmt.Errorf("position %d is out of range: the document has %s, and %d is its end; nothing was changed", position, textfmt.Plural(n, "character"), n)
	case length < 0 || length > n-position:
		return 0, 0, fmt.Errorf("length %d is out of range: after position %d the document has %s; nothing was changed", length, position, textfmt.Plural(n-position, "character"))
	}
	from = byteOffset(text, position)
	return from, from + byteOffset(text[from:], length), nil
}
