package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
)

// FindImage finds the image at an address, as it was put out: in the cache, or else in the cell that it came from. A
// client finds those of its own session only.
func (d *Desk) FindImage(ctx context.Context, uri string) (images.Entry, images.Image, error) {
	owner, id, err := images.ParseURI(uri)
	if err != nil {
		return images.Entry{}, images.Image{}, err
	}
	var e images.Entry
	var img images.Image
	ok := d.ownsImages(ctx, owner)
	if ok {
		e, img, ok = d.Gallery.Store.Find(owner, id)
	}
	if !ok {
		return images.Entry{}, images.Image{}, fmt.Errorf("no image is known at %s in this session: it is another session's, or was shown too long ago; "+
			"read_nb_cells on its cell shows it and its address", words.Quoted(uri))
	}
	if img.Data == nil {
		img, err = d.readAgain(ctx, e)
	}
	return e, img, err
}

// readAgain gets an image that is no longer kept out of its cell.
func (d *Desk) readAgain(ctx context.Context, e images.Entry) (images.Image, error) {
	path, err := d.pathNow(e)
	if err != nil {
		return images.Image{}, err
	}
	gone := func(why string) error {
		return fmt.Errorf("image %s was let go of to make room, and %s: run the cell again (it began with %s)", e.URI(), why, words.Quoted(e.Line))
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
		if img, ok := d.Gallery.again(e, out); ok {
			return img, nil
		}
	}
	return images.Image{}, gone("its cell no longer holds it")
}

// again finds an image in one output.
func (g *Gallery) again(e images.Entry, out ydoc.Output) (images.Image, bool) {
	data, _ := out["data"].(map[string]any)
	for _, mime := range images.Types() {
		if v, ok := data[mime]; ok && images.ID(e.CellID, mime, JoinText(v)) == e.ID {
			_, img, err := g.Store.Add(e.Origin, mime, JoinText(v))
			return img, err == nil
		}
	}
	return images.Image{}, false
}

// pathNow is where the image's notebook is: it may have been renamed while it is open.
func (d *Desk) pathNow(e images.Entry) (string, error) {
	if e.Path == "" {
		return "", errors.New("the image belongs to no notebook, and was let go of to make room: run the code again")
	}
	open, err := d.Manager.Sessions("")
	if err != nil {
		return "", err
	}
	for _, s := range open {
		if e.FileID != "" && s.FileID == e.FileID && s.Status == session.Connected {
			return s.Path, nil
		}
	}
	return e.Path, nil
}
