package document

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type overwriteArgs struct {
	Path     string `json:"path" jsonschema:"Text document or notebook" validate:"min=1,max=path" ends:"path"`
	Content  string `json:"content" validate:"max=text"`
	Revision string `json:"revision,omitempty" jsonschema:"The document's revision that the content's changes refer to. Left out: the one you were last shown." validate:"min=1,max=20"`
	Force    bool   `json:"force,omitempty" jsonschema:"Overwrite even unread content." default:"false"`
	target.Reasoned
}

// Refine implements tool.Refiner.
func (overwriteArgs) Refine(f tool.Fields) {
	f.Field("content").Say("The whole new content; of a notebook, " + nbformat.NotebookForm + "." + tool.LineEnds)
}

// An OverwriteResult is the answer of overwrite_document.
type OverwriteResult struct {
	Message  string `json:"message"`
	Path     string `json:"path" jsonschema:"The document, without a leading slash."`
	Length   int    `json:"content_length" jsonschema:"Length of the given content" ends:"characters"`
	Revision string `json:"revision" changes:"the document's content"`
	Merged   bool   `json:"merged,omitempty" jsonschema:"true if the document now differs from the content given, because others changed it since the revision of this call. Read it again before the next edit."`
}

// overwriteDocument makes overwrite_document.
func overwriteDocument(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "overwrite_document",
		Title:       "Overwrite a document",
		Description: "Replaces the whole content of a document that you have read; a notebook's is its JSON, in which cells keep their ids. The content counts as a change from the content last shown to you: text that people typed since is kept; if both changed the same words, nothing is written.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[OverwriteResult](nil),
		Call: tool.Typed(func(ctx context.Context, args overwriteArgs) (*tool.Answer, error) {
			if err := target.CheckBytes(len(args.Content)); err != nil {
				return nil, err
			}
			file, err := lookAt(ctx, d, args.Path)
			if err != nil {
				return nil, err
			}
			if apart := d.Files.Unjoined(ctx, file.Path, file.Type); apart != nil {
				out, err := overwriteIn(ctx, d, apart, args)
				if joined := (*files.JoinedError)(nil); errors.As(err, &joined) {
					return overwriteRoom(ctx, d, file, args, joined.Written)
				}
				if err != nil {
					return nil, err
				}
				return &tool.Answer{Body: out}, nil
			}
			return overwriteRoom(ctx, d, file, args, false)
		}),
	}
}

// overwriteRoom overwrites a document in its room. beside says that its file has been written meanwhile.
func overwriteRoom(ctx context.Context, d *deps.Deps, file jupyter.Content, args overwriteArgs, beside bool) (*tool.Answer, error) {
	doc, err := openFile(ctx, d, file.Type, file.Path)
	if broken, ok := errors.AsType[*files.BrokenError](err); ok {
		out, err := mend(ctx, d, broken, args)
		if err != nil {
			return nil, err
		}
		return &tool.Answer{Body: out}, nil
	}
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	if beside { // the server is about to load the file into the room: text typed there is merged first
		ctx = editguard.With(ctx, editguard.Manners{Force: true})
	}
	out, err := overwriteIn(ctx, d, doc, args)
	if beside {
		err = errors.Join(err, d.Files.Follow(ctx, doc))
	}
	if err != nil {
		return nil, err
	}
	return &tool.Answer{Body: out, Doc: doc}, nil
}

// overwriteIn overwrites a document, in its room or through its file.
func overwriteIn(ctx context.Context, d *deps.Deps, doc readable, args overwriteArgs) (*OverwriteResult, error) {
	out := overwritten(doc.Path(), args)
	was, err := asTextOf(ctx, d, doc)
	if err != nil {
		return nil, err
	}
	if args.Revision == target.FileRevision(was.all) {
		args.Revision = "" // the client received it for this content
	}
	var rev ydoc.Revision
	if doc.Text() == nil {
		out.Merged, err = overwriteNotebook(ctx, doc, args)
	} else {
		out.Merged, rev, err = overwriteText(ctx, doc, args)
	}
	if err != nil {
		return nil, err
	}
	out.Revision, err = revisionOf(ctx, d, doc, rev)
	return out, err
}

// revisionOf returns the revision of a document that was just written, at rev if that is known. The revisions of a document
// without a room are unknown to other calls, so it gets that of its file.
func revisionOf(ctx context.Context, d *deps.Deps, doc readable, rev ydoc.Revision) (string, error) {
	_, apart := doc.(*files.Unjoined)
	if rev != 0 && !apart {
		return target.Revision(rev), nil
	}
	now, err := asTextOf(ctx, d, doc)
	if err == nil && apart {
		return target.FileRevision(now.all), nil
	}
	return target.Revision(now.rev), err
}

// overwritten returns the answer for a document, without its revision.
func overwritten(path jupyter.Path, args overwriteArgs) *OverwriteResult {
	return &OverwriteResult{
		Message: fmt.Sprintf("Successfully overwrote document at %s", Named(path.String())),
		Path:    path.String(), Length: textfmt.Size(textfmt.Lines(args.Content)),
	}
}

// overwriteText changes a text to a new one.
func overwriteText(ctx context.Context, doc readable, args overwriteArgs) (merged bool, rev ydoc.Revision, err error) {
	const name = "overwrite"
	text := textfmt.Lines(args.Content)
	if args.Force {
		done, err := doc.As(tool.ClientOf(ctx)).OverwriteText(ctx, name, text)
		return done.Merged, done.Revision, err
	}
	done, err := rewriteText(ctx, doc, args.Revision, name, ", or give force true", func(base string) (readset.TextChange, error) {
		if textfmt.Marked(args.Content) && !textfmt.Marked(base) {
			return readset.TextChange{}, errors.New("nothing was changed: the content contains the mark of a cut text (\"… [N characters left out] …\"), so it is not the whole text")
		}
		return readset.TextChange{To: len(base), Put: text}, nil
	})
	return done.Merged, done.Revision, err
}

// Named quotes a path for a message.
func Named(path string) string { return "'" + path + "'" }

// overwriteNotebook changes a notebook to its new JSON.
func overwriteNotebook(ctx context.Context, doc readable, args overwriteArgs) (merged bool, err error) {
	file, err := nbformat.Parse(args.Content)
	if err != nil {
		return false, fmt.Errorf("nothing was changed: %w", err)
	}
	if cut := cutCell(file.Cells, doc.Notebook().Cells()); cut >= 0 && !args.Force {
		return false, fmt.Errorf("nothing was changed: the source of cells[%d] %s", cut, tool.MarkedWhy)
	}
	base, err := baseArg(args.Revision)
	if err != nil {
		return false, err
	}
	merged, err = doc.As(tool.ClientOf(ctx)).Overwrite(ctx, file, base, args.Force)
	return merged, err
}

// cutCell finds the first new cell whose source was cut when it was read, -1 for none. now are the current cells; one of
// them may contain the mark itself.
func cutCell(file, now []ydoc.Cell) int {
	marked := func(c ydoc.Cell) bool { return textfmt.Marked(c.Source) }
	if slices.ContainsFunc(now, marked) {
		return -1
	}
	return slices.IndexFunc(file, marked)
}
