package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

type textEditArgs struct {
	Path     string `json:"path"`
	Position int    `json:"position"`
	Length   int    `json:"length"`
	Text     string `json:"text"`
	Revision string `json:"revision"`
}

// What every answer about an edit of a text ends with.
type textEdited struct {
	ContentLength int    `json:"content_length"`
	Revision      string `json:"revision"`
	Merged        bool   `json:"merged,omitempty"`
}

func textEditedProperties() []property {
	return append([]property{
		required("content_length", integer("Length of the whole document now, "+positionUnit+".")),
		required("revision", revisionSchema("the document's content")),
		optional("merged", boolean("true where others had changed the document since the revision that the call refers to: the edit was carried over, and other positions have shifted. Read it again before the next edit.")),
	}, savedProperties()...)
}

const editMerge = "Positions refer to the document as you were last shown it; what people have typed since is kept, and where both changed the same words nothing is written and the differences are returned. "

type insertTextResult struct {
	Message  string `json:"message"`
	Position int    `json:"position"`
	Length   int    `json:"length"`
	textEdited
}

// insertDocumentText makes insert_document_text.
func insertDocumentText(d *deps) tool {
	return tool{
		name:    "insert_document_text",
		title:   "Insert text into a document",
		toolset: toolsetDocument,
		description: "Inserts text at a position of a text document; people who have it open see it at once. " + editMerge +
			"Use it to add to a document without touching the rest. Costs little.",
		marks: marks{},
		input: arguments(
			required("path", documentSchema("Text document")),
			required("position", positionSchema("Where to insert: 0 is the start, the document's length the end")),
			required("text", documentContentSchema("Text to insert.")),
			optional("revision", baseSchema("the position")),
		),
		output: object("", append([]property{
			required("message", text("")),
			required("position", integer("Where the text is now, "+positionUnit+".")),
			required("length", integer("Length of the inserted text.")),
		}, textEditedProperties()...)...),
		handle: typed(func(ctx context.Context, args textEditArgs) (*answer, error) {
			args.Length = 0
			done, doc, err := d.editText(ctx, args, "insert text")
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			n := size(lines(args.Text))
			return &answer{doc: doc, body: insertTextResult{
				fmt.Sprintf("Successfully inserted %s at position %d", plural(n, "character"), done.position),
				done.position, n, done.textEdited,
			}}, nil
		}),
	}
}

type deleteTextResult struct {
	Message  string `json:"message"`
	Position int    `json:"position"`
	Length   int    `json:"length"`
	Removed  string `json:"removed_text"`
	textEdited
}

// deleteDocumentText makes delete_document_text.
func deleteDocumentText(d *deps) tool {
	return tool{
		name:    "delete_document_text",
		title:   "Delete text from a document",
		toolset: toolsetDocument,
		description: "Deletes length characters from a position of a text document on; people who have it open see it at once. " + editMerge +
			"Use it after reading the document; see in removed_text that it took what was meant. Costs little.",
		marks: marks{destructive: true},
		input: arguments(
			required("path", documentSchema("Text document")),
			required("position", positionSchema("Where the text to delete begins")),
			required("length", lengthSchema("How much to delete")),
			optional("revision", baseSchema("position and length")),
		),
		output: object("", append([]property{
			required("message", text("")),
			required("position", integer("Where the text was, "+positionUnit+".")),
			required("length", integer("Length of the deleted text.")),
			required("removed_text", text("The deleted text, its middle left out where it is long.")),
		}, textEditedProperties()...)...),
		handle: typed(func(ctx context.Context, args textEditArgs) (*answer, error) {
			done, doc, err := d.editText(ctx, args, "delete text")
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			return &answer{doc: doc, body: deleteTextResult{
				fmt.Sprintf("Successfully deleted %s from position %d", plural(args.Length, "character"), done.position),
				done.position, args.Length, done.removed, done.textEdited,
			}}, nil
		}),
	}
}

type replaceTextResult struct {
	Message   string `json:"message"`
	Position  int    `json:"position"`
	Length    int    `json:"length"`
	NewLength int    `json:"new_length"`
	Removed   string `json:"removed_text"`
	textEdited
}

// replaceDocumentText makes replace_document_text.
func replaceDocumentText(d *deps) tool {
	return tool{
		name:    "replace_document_text",
		title:   "Replace text in a document",
		toolset: toolsetDocument,
		description: "Puts text in the place of length characters from a position of a text document on, writing only what differs; people who have it open see it at once. " + editMerge +
			"Use it after reading the document; see in removed_text that it took what was meant. Costs little.",
		marks: marks{destructive: true},
		input: arguments(
			required("path", documentSchema("Text document")),
			required("position", positionSchema("Where the text to replace begins")),
			required("length", lengthSchema("How much to replace")),
			required("text", documentContentSchema("Text to put there.")),
			optional("revision", baseSchema("position and length")),
		),
		output: object("", append([]property{
			required("message", text("")),
			required("position", integer("Where the text was, "+positionUnit+".")),
			required("length", integer("Length of the replaced text.")),
			required("new_length", integer("Length of the new text.")),
			required("removed_text", text("The replaced text, its middle left out where it is long.")),
		}, textEditedProperties()...)...),
		handle: typed(func(ctx context.Context, args textEditArgs) (*answer, error) {
			done, doc, err := d.editText(ctx, args, "replace text")
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			n := size(lines(args.Text))
			return &answer{doc: doc, body: replaceTextResult{
				fmt.Sprintf("Successfully replaced %s with %s at position %d", plural(args.Length, "character"), plural(n, "new character"), done.position),
				done.position, args.Length, n, done.removed, done.textEdited,
			}}, nil
		}),
	}
}

func positionSchema(description string) schema {
	return integer(description+", "+positionUnit+".").between(0, maxPosition)
}

func lengthSchema(description string) schema {
	return integer(description+", "+positionUnit+".").between(0, maxPosition)
}

func documentContentSchema(description string) schema {
	return text(description+" Line ends are stored as \\n.").length(0, maxText)
}

// editDone is what became of an edit.
type editDone struct {
	position int    // in the text as it was when the edit was made
	removed  string // cut to size
	textEdited
}

// removedShown is how much of a removed text is shown.
const removedShown = 1000

// editText makes the edit of args; the caller releases the document.
func (d *deps) editText(ctx context.Context, args textEditArgs, name string) (editDone, *session.Document, error) {
	doc, err := d.openText(ctx, args.Path)
	if err != nil {
		return editDone{}, nil, err
	}
	done, err := d.editOpen(ctx, doc, args, name)
	if err != nil {
		doc.Release()
		return done, nil, err
	}
	return done, doc, nil
}

func (d *deps) editOpen(ctx context.Context, doc *session.Document, args textEditArgs, name string) (done editDone, err error) {
	var expected string // the text afterwards as the caller imagines it
	put := lines(args.Text)
	text, rev, err := d.rewriteText(ctx, doc, args.Revision, name, func(e *ydoc.TextEditor, base string, rev ydoc.Revision) error {
		from, to, err := charSpan(base, args.Position, args.Length)
		if err != nil {
			return err
		}
		done.position = args.Position
		done.removed, _ = cut(base[from:to], removedShown)
		expected = base[:from] + put + base[to:]
		now := e.String()
		if now == base {
			return replaceSpan(e, textdiff.UTF16Offset(base, from), base[from:to], put)
		}
		if err := e.Rewrite(rev, expected); err != nil {
			return err
		}
		if changes := textdiff.Diff(now, e.String()); len(changes) > 0 {
			done.position = size(now[:textdiff.ByteOffset(now, changes[0].Pos)])
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	end := min(len(text), byteOffset(text, done.position)+len(put))
	doc.PointText(textdiff.UTF16Offset(text, end))
	done.textEdited = d.textDone(ctx, doc, text, rev, expected)
	return done, nil
}

// byteOffset is where the character at a position of a text begins; the text's length where there is none.
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

// charSpan is where the characters that position and length name begin and end in a text, in bytes.
func charSpan(text string, position, length int) (from, to int, err error) {
	n := size(text)
	switch {
	case position < 0 || position > n:
		return 0, 0, fmt.Errorf("position %d is out of range: the document has %s, and %d is its end; nothing was changed", position, plural(n, "character"), n)
	case length < 0 || length > n-position:
		return 0, 0, fmt.Errorf("length %d is out of range: from position %d to the document's end are %s; nothing was changed", length, position, plural(n-position, "character"))
	}
	from = byteOffset(text, position)
	return from, from + byteOffset(text[from:], length), nil
}

// replaceSpan puts text in the place of what stands at a position, writing only what differs.
func replaceSpan(e *ydoc.TextEditor, position int, old, text string) error {
	for _, c := range slices.Backward(textdiff.Diff(old, text)) {
		if err := e.Replace(position+c.Pos, c.Del, c.Ins); err != nil {
			return err
		}
	}
	return nil
}

// rewriteText edits a text on the basis that the client of ctx means. edit gets that text, and its revision, which is 0
// where it is the one in the editor.
func (d *deps) rewriteText(ctx context.Context, doc *session.Document, named, name string,
	edit func(e *ydoc.TextEditor, base string, rev ydoc.Revision) error,
) (string, ydoc.Revision, error) {
	from, err := d.textBasis(ctx, doc, named)
	if err != nil {
		return "", 0, err
	}
	write := func(e *ydoc.TextEditor) error {
		base, err := from.of(e)
		if err != nil {
			return err
		}
		return edit(e, base, from.rev)
	}
	text, rev, err := doc.RewriteText(ctx, name, write)
	if !errors.Is(err, ydoc.ErrRevisionGone) {
		return text, rev, editError(err)
	}
	if from.named {
		return "", 0, fmt.Errorf("nothing was changed: revision %s is not remembered, the document has changed too much since or was opened anew; read it again with get_document_content, then repeat the edit", named)
	}
	// What the caller was shown is too long ago for the document, but where the text is the same again, it is as good.
	if d.seen.outdatedText(ctx, doc.Path(), doc.Text().String()) {
		return "", 0, staleError(doc.Path())
	}
	from = basis{}
	text, rev, err = doc.RewriteText(ctx, name, write)
	return text, rev, editError(err)
}

// textDone is what is said of a text after an edit, by which the caller expects it to be as it says.
func (d *deps) textDone(ctx context.Context, doc *session.Document, text string, rev ydoc.Revision, expected string) textEdited {
	merged := text != expected
	if merged {
		d.seen.forgetText(ctx, doc, text)
	} else {
		d.seen.showText(ctx, doc, text, rev)
	}
	return textEdited{ContentLength: size(text), Revision: revision(rev), Merged: merged}
}
