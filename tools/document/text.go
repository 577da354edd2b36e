package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// Positions and lengths in a text document are Unicode code points, the unit of Python's len and of models: an emoji of one
// code point counts one, and no position lies inside a code point. The shared document counts UTF-16 units; this file and
// edit.go convert.

// PathArg checks a path argument that must name a file or folder below the root.
func PathArg(name, path string) (jupyter.Path, error) {
	return target.FileArg(name, path, ": give a path such as \"work/notes.md\""+textfmt.Hint("; list_documents lists the documents"))
}

// atPath is [tool.Typed] for a tool whose argument path names a file or folder below the root.
func atPath[A interface{ path() string }](answer func(context.Context, jupyter.Path, A) (*tool.Answer, error)) tool.Call {
	return tool.Typed(func(ctx context.Context, args A) (*tool.Answer, error) {
		clean, err := PathArg("path", args.path())
		if err != nil {
			return nil, err
		}
		return answer(ctx, clean, args)
	})
}

// Missing turns a not-found error into advice; other errors stay as they are.
func Missing(err error, path jupyter.Path) error {
	if errors.Is(err, jupyter.ErrNotFound) {
		return target.Absent(path, "no document %s on the Jupyter server: paths are relative to its root folder"+textfmt.Hint("; list_documents lists the documents")+"%s", textfmt.Quoted(path.String()), target.WhyMissing(path))
	}
	return err
}

// openText joins the room of the text that a call names, or uses the one already open. The caller releases it.
func openText(ctx context.Context, d *deps.Deps, path string) (*session.Document, error) {
	clean, err := PathArg("path", path)
	if err != nil {
		return nil, err
	}
	doc, err := target.Find(ctx, clean, d.Manager.OpenText)
	return doc, Missing(err, clean)
}

// Open opens the text or the notebook at a path.
func Open(ctx context.Context, d *deps.Deps, path string) (*session.Document, error) {
	file, err := lookAt(ctx, d, path)
	if err != nil {
		return nil, err
	}
	return openFile(ctx, d, file.Type, file.Path)
}

// lookAt finds the file at the path that a call names, or at the decoded path if it is percent-encoded.
func lookAt(ctx context.Context, d *deps.Deps, path string) (jupyter.Content, error) {
	clean, err := PathArg("path", path)
	if err != nil {
		return jupyter.Content{}, err
	}
	file, err := target.Find(ctx, clean, func(ctx context.Context, at jupyter.Path) (jupyter.Content, error) {
		return d.Manager.Servers().Documents.Contents.Get(ctx, at, jupyter.ContentsOptions{})
	})
	return file, Missing(err, clean)
}

// A readable is a document that a client reads and writes: an open one, or a file that no room has open.
type readable interface {
	Path() jupyter.Path
	Notebook() *ydoc.Notebook
	Text() *ydoc.Text
	As(client string) readset.Reader
}

// openFile opens the document at a path, by its type in the Contents API.
func openFile(ctx context.Context, d *deps.Deps, typ string, path jupyter.Path) (*session.Document, error) {
	if typ == "notebook" {
		return d.OpenAt(ctx, path)
	}
	return d.Manager.OpenText(ctx, path)
}

// baseArg parses the revision that a call's positions or content refer to; 0 if the call has none.
func baseArg(named string) (ydoc.Revision, error) {
	return target.ParseRevisionOf(named, "an earlier answer about this document")
}

// rewriteText changes a text for the client of ctx, based on the revision that the call names. instead ends the advice of a
// refusal.
func rewriteText(ctx context.Context, doc readable, named, name, instead string, change func(base string) (readset.TextChange, error)) (readset.ChangedText, error) {
	base, err := baseArg(named)
	if err != nil {
		return readset.ChangedText{}, err
	}
	done, err := doc.As(tool.ClientOf(ctx)).RewriteText(ctx, name, base, change)
	if outdated, ok := errors.AsType[*readset.OutdatedError](err); ok && !outdated.Shown {
		return done, fmt.Errorf("%w; read it"+textfmt.Hint(" with get_document_content")+", then send the edit for its current text%s", err, instead)
	}
	return done, err
}

// editedOf describes a text after an edit.
func editedOf(done readset.ChangedText) textEdited {
	return textEdited{ContentLength: textfmt.Size(done.Text), Revision: target.Revision(done.Revision), Merged: done.Merged}
}
