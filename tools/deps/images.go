package deps

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
)

// FindImage finds the original image at an address, in the cache or in its cell. A client finds only the images of its own
// sessions.
func (d *Deps) FindImage(ctx context.Context, uri string) (images.Entry, images.Image, error) {
	var e images.Entry
	var img images.Image
	var err error
	id, ok := images.ParseShortURI(uri)
	if ok {
		e, img, ok = d.Images.Store.FindShort(d.ImageSessions(ctx), id)
	} else {
		var owner string
		if owner, id, err = images.ParseURI(uri); err != nil {
			return images.Entry{}, images.Image{}, err
		}
		if ok = d.ownsImages(ctx, owner); ok {
			e, img, ok = d.Images.Store.Find(owner, id)
		}
	}
	if !ok {
		return images.Entry{}, images.Image{}, fmt.Errorf("image %s is unknown in this session: it is another session's, or was shown too long ago"+
			textfmt.Hint("; read_nb_cells on its cell shows it and its address"), textfmt.Quoted(uri))
	}
	if img.Data == nil {
		img, err = d.readFromCell(ctx, e)
	}
	return e, img, err
}

// readFromCell reads an image that is no longer cached from its cell.
func (d *Deps) readFromCell(ctx context.Context, e images.Entry) (images.Image, error) {
	path, err := d.pathNow(e)
	if err != nil {
		return images.Image{}, err
	}
	gone := func(why string) error {
		return fmt.Errorf("image %s is no longer cached, and %s: run the cell again (it began with %s)", e.URI(), why, textfmt.Quoted(e.Line))
	}
	doc, err := d.Manager.Open(ctx, path)
	if err != nil {
		return images.Image{}, gone("its notebook cannot be read: " + err.Error())
	}
	defer doc.Release()
	cell, ok := doc.Notebook().Cell(e.CellID)
	if !ok {
		return images.Image{}, gone("its cell has been deleted")
	}
	for _, out := range append(render.PicturesOf(cell), datauri.Expand(cell.Outputs)...) {
		if img, ok := d.Images.FindIn(ctx, e, out); ok {
			return img, nil
		}
	}
	return images.Image{}, gone("its cell no longer holds it")
}

// pathNow returns the current path of the image's notebook, which may have been renamed while open.
func (d *Deps) pathNow(e images.Entry) (jupyter.Path, error) {
	if e.Path.IsRoot() {
		return jupyter.Path{}, errors.New("the image is no longer cached and belongs to no notebook: run the code again")
	}
	for _, s := range d.Manager.Sessions(jupyter.Path{}) {
		if e.FileID != "" && s.FileID == e.FileID && s.Status == session.Connected {
			return s.Path, nil
		}
	}
	return e.Path, nil
}

// OfRun returns the origin of a run's images. It does not open the notebook.
func (d *Deps) OfRun(ctx context.Context, r *run.Run, count *int) images.Origin {
	from := images.Origin{Session: render.ImageOwner(ctx), Path: r.Path, CellID: r.CellID, Count: count}
	if d.ownsImages(ctx, r.Session) {
		from.Session = r.Session
	}
	from.Line = d.Images.LineOf(r)
	return from
}

// ownsImages reports whether a client may see the images of a session: its own session, or one of its analysis sessions.
func (d *Deps) ownsImages(ctx context.Context, session string) bool {
	if session == render.ImageOwner(ctx) {
		return true
	}
	_, err := d.Analyses.Get(tool.ClientOf(ctx), session)
	return err == nil
}

// ImageSessions returns the sessions whose images a client may see.
func (d *Deps) ImageSessions(ctx context.Context) []string {
	return append([]string{render.ImageOwner(ctx)}, d.Analyses.IDs(tool.ClientOf(ctx))...)
}

// Outcome returns the current state of a run. doc is the notebook of its cell, nil if it is not open.
func (d *Deps) Outcome(ctx context.Context, r *run.Run, doc *session.Document) waiting.Outcome {
	o := d.OutcomeOf(ctx, r)
	o.NewSet, o.From = d.Images.Sets(ctx), d.OfRun(ctx, r, o.Count)
	if doc == nil {
		return o
	}
	if cell, ok := doc.Notebook().Cell(r.CellID); ok {
		o.From = d.Images.OfCell(ctx, doc, cell)
		o.From.Count = o.Count
	}
	return o
}

// OutcomeOfCode is Outcome for code that runs outside a notebook.
func (d *Deps) OutcomeOfCode(ctx context.Context, r *run.Run, code string) waiting.Outcome {
	o := d.OutcomeOf(ctx, r)
	o.NewSet, o.From = d.Images.Sets(ctx), d.Images.OfCode(r, code)
	o.From.Count = o.Count
	return o
}
