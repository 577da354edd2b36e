package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
)

// FindImage finds the original image at an address, in the cache or in the cell that it came from. A client finds only
// the images of its own sessions.
func (d *Desk) FindImage(ctx context.Context, uri string) (images.Entry, images.Image, error) {
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
		return images.Entry{}, images.Image{}, fmt.Errorf("no image is known at %s in this session: it is another session's, or was shown too long ago"+
			words.Hint("; read_nb_cells on its cell shows it and its address"), words.Quoted(uri))
	}
	if img.Data == nil {
		img, err = d.readFromCell(ctx, e)
	}
	return e, img, err
}

// readFromCell reads an image that is no longer cached from its cell.
func (d *Desk) readFromCell(ctx context.Context, e images.Entry) (images.Image, error) {
	path, err := d.pathNow(e)
	if err != nil {
		return images.Image{}, err
	}
	gone := func(why string) error {
		return fmt.Errorf("image %s is no longer cached, and %s: run the cell again (it began with %s)", e.URI(), why, words.Quoted(e.Line))
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
	for _, out := range cell.Outputs {
		if img, ok := d.Images.findIn(e, out); ok {
			return img, nil
		}
	}
	return images.Image{}, gone("its cell no longer holds it")
}

// findIn finds an image in one output.
func (g *ImageStore) findIn(e images.Entry, out ydoc.Output) (images.Image, bool) {
	data, _ := out["data"].(map[string]any)
	for _, mime := range images.Types() {
		if v, ok := data[mime]; ok && images.ID(e.CellID, mime, JoinText(v)) == e.ID {
			_, img, err := g.Store.Add(e.Origin, mime, JoinText(v))
			return img, err == nil
		}
	}
	return images.Image{}, false
}

// pathNow is the current path of the image's notebook, which may have been renamed while open.
func (d *Desk) pathNow(e images.Entry) (jupyter.Path, error) {
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

// FiguresLeftOut says how many figures of a run are missing in its cell.
func FiguresLeftOut(n int) string {
	return words.Plural(n, "figure") + " left out: the run has made more than a notebook takes from one run; save figures to files, or make them smaller"
}
