package document

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A broken notebook has no room, so its readers get the text of its file.

// readBroken answers a read of a broken notebook with a piece of its file.
func readBroken(ctx context.Context, d *deps.Deps, broken *files.BrokenError, args ContentArgs) (*tool.Answer, error) {
	out := ContentResult{Revision: target.FileRevision(broken.Text), Fault: broken.Err.Error()}
	finish, err := readPiece(broken.Text, args, &out, func(from, to int) {
		d.Pieces.Read(tool.ClientOf(ctx), broken.Path, broken.Text, from, to)
	})
	if err != nil {
		return nil, err
	}
	a := &tool.Answer{Body: &out, Words: tool.Words(ctx, out.words(broken.Path, args.Position))}
	return a, finish(a)
}

// mend overwrites a broken notebook that the client has read.
func mend(ctx context.Context, d *deps.Deps, broken *files.BrokenError, args overwriteArgs) (*OverwriteResult, error) {
	client := tool.ClientOf(ctx)
	switch reached := d.Pieces.Reached(client, broken.Path, broken.Text); {
	case args.Force:
	case args.Revision != "" && args.Revision != target.FileRevision(broken.Text):
		return nil, fmt.Errorf("nothing was changed: the file is no longer at revision %s; read it again"+textfmt.Hint(" with get_document_content"), textfmt.Quoted(args.Revision))
	case reached < len(broken.Text):
		return nil, notReached(broken.Path, textfmt.Size(broken.Text[:reached]), textfmt.Size(broken.Text))
	}
	if err := d.Files.Mend(ctx, broken.Path, broken.Text, args.Content); err != nil {
		return nil, err
	}
	d.Pieces.Drop(client, broken.Path)
	var doc readable
	if apart := d.Files.Unjoined(ctx, broken.Path, "notebook"); apart != nil {
		doc = apart
	} else {
		open, err := d.OpenAt(ctx, broken.Path)
		if err != nil {
			return nil, fmt.Errorf("the file was written, but cannot be opened: %w", err)
		}
		defer open.Release()
		doc = open
	}
	now, err := asTextOf(ctx, d, doc)
	if err != nil {
		return nil, err
	}
	now.shown(0, len(now.all)) // the client has written it
	out := overwritten(broken.Path, args)
	out.Revision, err = revisionOf(ctx, d, doc, 0)
	return out, err
}

// mend makes the change in the file of a broken notebook, if the result is a valid notebook.
func (r *replacement) mend(ctx context.Context, d *deps.Deps, broken *files.BrokenError) (*tool.Answer, error) {
	text, err := r.make(broken.Text)
	if err != nil {
		return nil, err
	}
	if err := d.Files.Mend(ctx, broken.Path, broken.Text, text); err != nil {
		return nil, err
	}
	d.Pieces.Drop(tool.ClientOf(ctx), broken.Path)
	out := EditTextResult{Replaced: r.made, Revision: target.FileRevision(text)}
	out.Message = "Successfully replaced " + textfmt.Plural(r.made, "occurrence") + " in the file, which can now be read as a notebook"
	out.Diff, _ = textfmt.Cut(textdiff.Unified("text", broken.Text, text, 1), diffShown)
	return &tool.Answer{Body: &out, Words: tool.Words(ctx, func() plaintext.Text {
		return plaintext.Text{First: "replaced " + textfmt.Thousands(r.made) + " in the file of " + broken.Path.String() + ", which can now be read as a notebook"}
	})}, nil
}

// notReached refuses to replace a text that the client has read only in part.
func notReached(path jupyter.Path, reached, of int) error {
	if reached == 0 {
		return fmt.Errorf("nothing was changed: %s was never shown to you as it is now; read it"+textfmt.Hint(" with get_document_content")+", or give force true", textfmt.Quoted(path.String()))
	}
	return fmt.Errorf("nothing was changed: you have read %s of the %s of %s, and this would remove the rest; read on from position %d, or give force true",
		textfmt.Thousands(reached), textfmt.Plural(of, "character"), textfmt.Quoted(path.String()), reached)
}
