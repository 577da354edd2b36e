package tools

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

type overwriteArgs struct {
	Path     string `json:"path"`
	Content  string `json:"content"`
	Revision string `json:"revision"`
}

type overwriteResult struct {
	Message  string `json:"message"`
	Path     string `json:"path"`
	Length   int    `json:"content_length"`
	Revision string `json:"revision"`
	Merged   bool   `json:"merged,omitempty"`
}

// overwriteDocument makes overwrite_document.
func overwriteDocument(d *deps) tool {
	return tool{
		name:    "overwrite_document",
		title:   "Overwrite a document",
		toolset: toolsetDocument,
		description: "Gives an existing document a whole new content, writing only what differs from the old into the shared document, so that people's carets stay where they are. " +
			"The content counts as a change from what you were last shown: what people have typed since is kept, and where both changed the same words nothing is written and the differences are returned. " +
			"Of a notebook the content is its JSON; cells of the same id are changed in place, others inserted and deleted. " +
			"For a small change the tools for text and cells cost less. Of what was there nothing remains.",
		marks: marks{destructive: true},
		input: arguments(
			required("path", documentSchema("Text document or notebook")),
			required("content", documentContentSchema("The whole new content; of a notebook, "+notebookForms+".")),
			optional("revision", baseSchema("the content's changes")),
		),
		output: object("", append([]property{
			required("message", text("")),
			required("path", text("The document, without a leading slash.")),
			required("content_length", integer("Length of the content given, "+positionUnit+".")),
			required("revision", revisionSchema("the document's content")),
			optional("merged", boolean("true where the document is now not the content given, because others had changed it since the revision that it refers to. Read it again before the next edit.")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args overwriteArgs) (*answer, error) {
			if len(args.Content) > maxSourceTotal {
				return nil, checkTotal(args.Content)
			}
			doc, err := d.openDocument(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			out := overwriteResult{
				Message: fmt.Sprintf("Successfully overwrote document at %s", named(doc.Path())),
				Path:    doc.Path(), Length: size(lines(args.Content)),
			}
			if doc.Text() == nil {
				if out.Merged, err = d.overwriteNotebook(ctx, doc, args); err != nil {
					return nil, err
				}
				out.Revision = revision(doc.Notebook().Revision())
				return &answer{body: out, doc: doc}, nil
			}
			done, err := d.overwriteText(ctx, doc, args)
			if err != nil {
				return nil, err
			}
			out.Revision, out.Merged = done.Revision, done.Merged
			return &answer{body: out, doc: doc}, nil
		}),
	}
}

// named is a path in a message.
func named(path string) string { return "'" + path + "'" }

func (d *deps) overwriteText(ctx context.Context, doc *session.Document, args overwriteArgs) (textEdited, error) {
	content := lines(args.Content)
	text, rev, err := d.rewriteText(ctx, doc, args.Revision, "overwrite", func(e *ydoc.TextEditor, _ string, rev ydoc.Revision) error {
		if rev == 0 {
			return e.SetText(content)
		}
		return e.Rewrite(rev, content)
	})
	if err != nil {
		return textEdited{}, err
	}
	return d.textDone(ctx, doc, text, rev, content), nil
}
