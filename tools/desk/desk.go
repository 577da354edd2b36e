package desk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// Desk is the state that all tools share.
type Desk struct {
	Work
	Images *ImageStore
	Opened opened
	// Pieces is how far clients have read texts.
	Pieces Pieces
	// ReadOnly says that no code may run for an answer, and no kernel start.
	ReadOnly bool
	// AnswerWithin is how long a call waits for code if it does not say how long, and its client does not hear of the
	// progress, and how long it waits until people pause who are typing; 0 for no limit. Hosts give up on silent calls after
	// a minute.
	AnswerWithin time.Duration
	// AgentPasswords lets a model answer the passwords that code asks for; else a person has to.
	AgentPasswords bool
}

// New makes a desk. See [NewImageStore] for store and the limits of images.
func New(work *Work, store *images.Store, maxImages, maxImageBytes int) (*Desk, error) {
	pictures, err := NewImageStore(store, maxImages, maxImageBytes)
	if err != nil {
		return nil, err
	}
	d := &Desk{Images: pictures}
	if work != nil {
		d.Work = *work
		pictures.plots.ask = (&sketcher{Desk: d}).draw
	}
	return d, nil
}

// Hold is how long a call waits for code: as long as it said, or as is usual if its client hears from it meanwhile. What it
// has waited for people is part of AnswerWithin, but for a second.
func (d *Desk) Hold(ctx context.Context, said bool, wait time.Duration) time.Duration {
	if said || d.AnswerWithin == 0 || tool.HearsProgress(ctx) {
		return wait
	}
	return min(wait, max(time.Second, d.AnswerWithin-editguard.Waited(ctx)))
}

// Forget drops a client's state: its opened notebooks and the images of its sessions.
func (d *Desk) Forget(client string, sessions []string) {
	d.Images.Store.Forget(sessions...)
	d.Opened.clients.Forget(client)
	d.Pieces.clients.Forget(client)
}

// About makes doc the subject of an answer; nil if doc is nil.
func About(doc *session.Document) tool.Document {
	if doc == nil {
		return nil
	}
	return doc
}

// Open joins the room of the notebook that a call names, or uses the one already open. The caller releases it.
func (d *Desk) Open(ctx context.Context, path string) (*session.Document, error) {
	clean, err := NotebookArg("path", path)
	if err != nil {
		return nil, err
	}
	return d.OpenAt(ctx, clean)
}

// OpenAt is Open of a notebook at a path, or at the path for which a percent-encoded one stands.
func (d *Desk) OpenAt(ctx context.Context, path jupyter.Path) (*session.Document, error) {
	doc, err := d.Manager.Open(ctx, path)
	if errors.Is(err, jupyter.ErrNotFound) {
		if plain, ok := Unescaped(path); ok {
			if doc, plainErr := d.Manager.Open(ctx, plain); plainErr == nil {
				Meant(ctx, path, plain)
				d.Opened.Note(ctx, doc, true)
				return doc, nil
			}
		}
		return nil, fmt.Errorf("there is no notebook %q on the Jupyter server: paths are relative to its root folder"+textfmt.Hint("; list_nbs lists the notebooks")+"%s", path, WhyMissing(path))
	}
	if err != nil {
		return nil, unreadable(ctx, d.Files, path, err)
	}
	d.Opened.Note(ctx, doc, true)
	return doc, nil
}

// unreadable says of a notebook that cannot be read which line is wrong, and what to do.
func unreadable(ctx context.Context, f *files.Files, path jupyter.Path, err error) error {
	err = f.Broken(ctx, path, err)
	if errors.As(err, new(*files.BrokenError)) {
		return fmt.Errorf("%w"+textfmt.Hint(". get_document_content shows its file as text, and overwrite_document writes it mended"), err)
	}
	return err
}
