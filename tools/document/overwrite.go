package document

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type overwriteArgs struct {
	Path     string `json:"path"`
	Content  string `json:"content"`
	Revision string `json:"revision"`
}

type OverwriteResult struct {
	Message  string `json:"message"`
	Path     string `json:"path"`
	Length   int    `json:"content_length"`
	Revision string `json:"revision"`
	Merged   bool   `json:"merged,omitempty"`
}

// overwriteDocument makes overwrite_document.
func overwriteDocument(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "overwrite_document",
		Title:   "Overwrite a document",
		Toolset: tool.ToolsetDocument,
		Description: "Gives an existing document a whole new content, writing only what differs from the old into the shared document, so that people's carets stay where they are. " +
			"The content counts as a change from what you were last shown: what people have typed since is kept, and where both changed the same words nothing is written and the differences are returned. " +
			"Of a notebook the content is its JSON; cells of the same id are changed in place, others inserted and deleted. " +
			"For a small change the tools for text and cells cost less. Of what was there nothing remains.",
		Marks: tool.Marks{Destructive: true},
		Input: tool.Arguments(
			tool.Required("path", PathSchema("Text document or notebook")),
			tool.Required("content", ContentSchema("The whole new content; of a notebook, "+notebookForms+".")),
			tool.Optional("revision", baseSchema("the content's changes")),
		),
		Output: tool.Object("", append([]tool.Property{
			tool.Required("message", tool.Text("")),
			tool.Required("path", tool.Text("The document, without a leading slash.")),
			tool.Required("content_length", tool.Integer("Length of the content given, "+PositionUnit+".")),
			tool.Required("revision", desk.RevisionSchema("the document's content")),
			tool.Optional("merged", tool.Boolean("true where the document is now not the content given, because others had changed it since the revision that it refers to. Read it again before the next edit.")),
		}, tool.SavedProperties()...)...),
		Handle: tool.Typed(func(ctx context.Context, args overwriteArgs) (*tool.Answer, error) {
			if len(args.Content) > desk.MaxSourceTotal {
				return nil, desk.CheckTotal(args.Content)
			}
			doc, err := openDocument(ctx, d, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			out := OverwriteResult{
				Message: fmt.Sprintf("Successfully overwrote document at %s", Named(doc.Path())),
				Path:    doc.Path(), Length: tool.Size(tool.Lines(args.Content)),
			}
			if doc.Text() == nil {
				if out.Merged, err = overwriteNotebook(ctx, d, doc, args); err != nil {
					return nil, err
				}
				out.Revision = desk.Revision(doc.Notebook().Revision())
				return &tool.Answer{Body: out, Doc: doc}, nil
			}
			done, err := overwriteText(ctx, d, doc, args)
			if err != nil {
				return nil, err
			}
			out.Revision, out.Merged = done.Revision, done.Merged
			return &tool.Answer{Body: out, Doc: doc}, nil
		}),
	}
}

// Named is a path in a message.
func Named(path string) string { return "'" + path + "'" }

func overwriteText(ctx context.Context, d *desk.Desk, doc *session.Document, args overwriteArgs) (textEdited, error) {
	content := tool.Lines(args.Content)
	text, rev, err := rewriteText(ctx, d, doc, args.Revision, "overwrite", func(e *ydoc.TextEditor, _ string, rev ydoc.Revision) error {
		if rev == 0 {
			return e.SetText(content)
		}
		return e.Rewrite(rev, content)
	})
	if err != nil {
		return textEdited{}, err
	}
	return textDone(ctx, d, doc, text, rev, content), nil
}
