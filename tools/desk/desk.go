package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/tools/tool"
)

// Desk are what all tools work with.
type Desk struct {
	Work
	Gallery *Gallery
	Visits  visits
}

// New makes them over a manager, for answers that show images of store, see [newGallery].
func New(work *Work, store *images.Store, maxImages, maxImageBytes int) (*Desk, error) {
	pictures, err := NewGallery(store, maxImages, maxImageBytes)
	if err != nil {
		return nil, err
	}
	d := &Desk{Gallery: pictures}
	if work != nil {
		d.Work = *work
	}
	return d, nil
}

// Forget ends what is kept for a client: its visits and the images of its sessions.
func (d *Desk) Forget(client string, sessions []string) {
	d.Gallery.Store.Forget(sessions...)
	d.Visits.clients.Forget(client)
}

// About is what an answer is about: a document, or nothing where doc is nil.
func About(doc *session.Document) tool.Document {
	if doc == nil {
		return nil
	}
	return doc
}

// Open joins the room of the notebook that a call names, or takes it as it is open. The caller releases it.
func (d *Desk) Open(ctx context.Context, path string) (*session.Document, error) {
	clean, err := NotebookArg("path", path)
	if err != nil {
		return nil, err
	}
	doc, err := d.Manager.Open(ctx, clean)
	if errors.Is(err, jupyter.ErrNotFound) {
		return nil, fmt.Errorf("there is no notebook %q on the Jupyter server: paths are relative to its root folder; list_nbs shows the notebooks there are", clean)
	}
	if err == nil {
		d.Visits.Note(ctx, doc, true)
	}
	return doc, err
}
