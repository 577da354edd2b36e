package document

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// Positions and lengths in a text document are Unicode code points, as Python's len and a model count them: an emoji of
// one code point is one, and no position lies inside a character's code. The shared document counts UTF-16 units, which
// is between this file, edit.go and the ydoc package.

// PositionUnit says in a description what positions and lengths count.
const PositionUnit = "in characters (Unicode code points, as Python's len counts; a line end is one)"

// How long a text may be.
const (
	maxText     = 4_000_000  // characters of a document's content in a call
	MaxPosition = 20_000_000 // beyond any text document that is opened
)

// RefinePath ends the description of a path argument, which begins with what the path has to name, and bounds it.
func RefinePath(f tool.Field) tool.Field {
	return f.EndWith(", relative to the server's root folder, such as \"work/notes.md\"; a leading slash is allowed.").Limit(1, desk.MaxPath)
}

// RefineContent does the same for text that a call brings along.
func RefineContent(f tool.Field) tool.Field { return f.EndWith(desk.LineEnds).Limit(0, maxText) }

// refineBase describes the revision that a call's positions or content are about.
func refineBase(f tool.Field, of string) {
	f.Say("The document's revision that "+of+" refer to. Left out: the one you were last shown.").Limit(1, 20)
}

// refinePosition is for an argument that counts characters.
func refinePosition(f tool.Field) tool.Field { return inCharacters(f).Limit(0, MaxPosition) }

// inCharacters ends a description with what is counted.
func inCharacters(f tool.Field) tool.Field { return f.EndWith(", " + PositionUnit + ".") }

// PathArg checks a path argument that has to name something below the root.
func PathArg(name, path string) (string, error) {
	clean, err := jupyter.CleanPath(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if clean == "" {
		return "", fmt.Errorf("%s %s names the server's root folder: give a path such as \"work/notes.md\"; list_documents lists what there is", name, tool.Quoted(path))
	}
	return clean, nil
}

// Missing words that there is nothing at a path; other errors stay as they are.
func Missing(err error, path string) error {
	if errors.Is(err, jupyter.ErrNotFound) {
		return fmt.Errorf("there is no document %s on the Jupyter server: paths are relative to its root folder; list_documents shows what there is", tool.Quoted(path))
	}
	return err
}

// openText joins the room of the text that a call names, or takes it as it is open. The caller releases it.
func openText(ctx context.Context, d *desk.Desk, path string) (*session.Document, error) {
	clean, err := PathArg("path", path)
	if err != nil {
		return nil, err
	}
	doc, err := d.Manager.OpenText(ctx, clean)
	if err != nil {
		return nil, Missing(err, clean)
	}
	return doc, nil
}

// openDocument opens a text or a notebook, whichever there is.
func openDocument(ctx context.Context, d *desk.Desk, path string) (*session.Document, error) {
	clean, err := PathArg("path", path)
	if err != nil {
		return nil, err
	}
	file, err := d.Manager.Servers().Documents.Contents(ctx, clean, jupyter.ContentsOptions{})
	if err != nil {
		return nil, Missing(err, clean)
	}
	if file.Type == "notebook" {
		return d.Open(ctx, clean)
	}
	return d.Manager.OpenText(ctx, clean)
}

// A basis is the version of a text that an edit is made from.
type basis struct {
	rev   ydoc.Revision // 0 for the text as it is when it is edited
	named bool          // by the caller
}

// textBasis finds the version that the client of ctx means: the one it names, else the one it was last shown, else, if
// it was shown none, what there is.
func textBasis(ctx context.Context, d *desk.Desk, doc *session.Document, named string) (basis, error) {
	if named != "" {
		rev, err := strconv.ParseUint(named, 10, 64)
		if err != nil || rev == 0 {
			return basis{}, fmt.Errorf("revision %s is not a revision: give it as an earlier answer about this document has it; nothing was changed", tool.Quoted(named))
		}
		return basis{ydoc.Revision(rev), true}, nil
	}
	if shown, ok := doc.Shown(tool.ClientOf(ctx), desk.WholeText); ok {
		if shown == desk.Stale {
			return basis{}, staleError(doc.Path())
		}
		return basis{rev: shown}, nil
	}
	if doc.Outdated(tool.ClientOf(ctx), desk.WholeText, doc.Text().String()) {
		return basis{}, staleError(doc.Path())
	}
	return basis{}, nil
}

// of returns the text that a basis stands for, within an edit.
func (b basis) of(e *ydoc.TextEditor) (string, error) {
	if b.rev == 0 {
		return e.String(), nil
	}
	return e.Base(b.rev)
}

// staleError refuses an edit by a client that does not know the text as it is.
func staleError(path string) error {
	return fmt.Errorf("nothing was changed: %s was changed by others since you were last shown all of it, so positions and content of yours may not mean what you think; "+
		"read it again with get_document_content, then repeat the edit", tool.Quoted(path))
}
