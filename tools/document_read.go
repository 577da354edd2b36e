package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	defaultContent = 32_768
	maxContent     = 400_000
)

type contentArgs struct {
	Path     string `json:"path"`
	Max      *int   `json:"max_content"`
	Position int    `json:"position"`
}

type contentResult struct {
	Content   string `json:"content"`
	Truncated bool   `json:"truncated"`
	Length    int    `json:"content_length"`
	Revision  string `json:"revision"`
	Next      *int   `json:"next_position,omitempty"`
}

func maxContentProperty() property {
	return optional("max_content", integer("Most characters of content to return.").between(1, maxContent).def(defaultContent))
}

// getDocumentContent makes get_document_content.
func getDocumentContent(d *deps) tool {
	return tool{
		name:    "get_document_content",
		title:   "Read a document",
		toolset: toolsetDocument,
		description: "Reads a text document (Markdown, source code, data, …) as it is in the shared document now, what people have typed and not yet saved included. " +
			"Use it before editing: positions of the editing tools refer to what it showed. Costs up to max_content characters; of a longer document read on from next_position. " +
			"Of a notebook it returns the JSON of its file, which is long: read_nb_cells is better for looking at cells.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			required("path", documentSchema("Document")),
			maxContentProperty(),
			optional("position", integer("Where to begin, "+positionUnit+".").between(0, maxPosition).def(0)),
		),
		output: object("", append([]property{
			required("content", text("The document's text, from position on.")),
			required("truncated", boolean("Whether there is more behind it.")),
			required("content_length", integer("Length of the whole document, "+positionUnit+".")),
			required("revision", revisionSchema("the document's content")),
			optional("next_position", integer("Where the rest begins, when truncated.")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args contentArgs) (*answer, error) {
			doc, err := d.openDocument(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			var out contentResult
			shorter, err := d.readText(ctx, doc, args, &out)
			if err != nil {
				return nil, err
			}
			a := &answer{body: &out, doc: doc}
			return a, a.trim(shorter)
		}),
	}
}

// readText puts the part of an open document that the call asks for into out, which shorter shortens.
func (d *deps) readText(ctx context.Context, doc *session.Document, args contentArgs, out *contentResult) (shorter func() bool, err error) {
	all, rev, err := d.show(ctx, doc)
	if err != nil {
		return nil, err
	}
	runes := []rune(all)
	if args.Position < 0 || args.Position > len(runes) {
		return nil, fmt.Errorf("position %d is out of range: the document has %s", args.Position, plural(len(runes), "character"))
	}
	end := min(len(runes), args.Position+limitOf(args.Max))
	out.Length, out.Revision = len(runes), revision(rev)
	part := func() {
		out.Content = string(runes[args.Position:end])
		if out.Truncated = end < len(runes); out.Truncated {
			out.Next = &end
		}
	}
	part()
	return func() bool {
		if end == args.Position {
			return false
		}
		end = args.Position + (end-args.Position)*3/4
		part()
		return true
	}, nil
}

func limitOf(given *int) int {
	if given == nil {
		return defaultContent
	}
	return *given
}

// show returns the content of a document as one text, and notes that the client of ctx knows it.
func (d *deps) show(ctx context.Context, doc *session.Document) (string, ydoc.Revision, error) {
	if t := doc.Text(); t != nil {
		all, rev := t.Read()
		d.seen.showText(ctx, doc, all, rev)
		return all, rev, nil
	}
	nb := doc.Notebook()
	rev, cells := nb.Revision(), nb.Cells()
	all, err := notebookText(session.NotebookContent(nb))
	if err != nil {
		return "", 0, err
	}
	for _, c := range cells {
		d.seen.show(ctx, doc, c)
	}
	doc.Show(clientOf(ctx), wholeText, rev)
	return all, rev, nil
}

// notebookText writes a notebook as its file has it.
func notebookText(content map[string]any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(content); err != nil {
		return "", fault{fmt.Errorf("write a notebook as JSON: %w", err)}
	}
	return b.String(), nil
}
