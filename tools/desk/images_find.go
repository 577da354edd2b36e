package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
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
			textfmt.Hint("; read_nb_cells on its cell shows it and its address"), textfmt.Quoted(uri))
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
	for _, out := range append(PicturesOf(cell), datauri.Expand(cell.Outputs)...) {
		if img, ok := d.Images.findIn(ctx, e, out); ok {
			return img, nil
		}
	}
	return images.Image{}, gone("its cell no longer holds it")
}

// findIn finds an image in one output.
func (g *ImageStore) findIn(ctx context.Context, e images.Entry, out ydoc.Output) (images.Image, bool) {
	data, _ := out["data"].(map[string]any)
	for _, mime := range images.Types() {
		if v, ok := data[mime]; ok && images.ID(e.CellID, mime, JoinText(v)) == e.ID {
			_, img, err := g.Store.Add(e.Origin, mime, JoinText(v))
			return img, err == nil
		}
	}
	if fig, ok := data[Plotly]; ok {
		if png, _ := g.picture(g.drawing(ctx), e.Origin, fig, true); images.ID(e.CellID, "image/png", png) == e.ID {
			_, img, err := g.Store.Add(e.Origin, "image/png", png)
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
	return textfmt.Plural(n, "figure") + " left out: the run has made more than a notebook takes from one run; save figures to files, or make them smaller"
}

// A figure of plotly that has no picture is drawn by its notebook's kernel when an answer would show it. The picture is for
// the answers alone: people's tabs draw the figure themselves.

// What is said of a figure that has no picture where the reason is not known.
const (
	plotlyShort = `<no picture of it: fig.show("png") makes one, if kaleido is installed>`
	plotlyAlone = "<interactive plotly figure: there is no picture of it in this output; fig.show(renderer=\"png\") makes one, " +
		"and pio.renderers.default = \"plotly_mimetype+png\" one of each figure (both need the kaleido package)>"
)

// What all figures of one answer may take: drawTime, and no longer than until shortly before hosts give up on a call that
// says nothing, which is a minute after it began.
const (
	drawTime = 15 * time.Second
	hostTime = 57 * time.Second
)

// plots has figures drawn, each once.
type plots struct {
	// ask has a figure drawn by the kernel of where it comes from, and keeps the picture; nil where nothing runs.
	ask  func(ctx context.Context, from images.Origin, fig []byte, within time.Duration) (string, error)
	kept figure.Drawings
}

// A drawing is what the figures of one answer have come to, however often that is rendered.
type drawing struct {
	ask   func(from images.Origin, fig []byte, within time.Duration) (string, error) // nil where nothing runs
	time  func() time.Duration                                                       // what drawing may take from now on
	until time.Time                                                                  // the zero value until the first is drawn
	none  map[figure.Name]string                                                     // why there is no picture
}

// drawing makes one for the answer of a call.
func (g *ImageStore) drawing(ctx context.Context) *drawing {
	d := &drawing{none: map[figure.Name]string{}, time: func() time.Duration {
		if tool.HearsProgress(ctx) {
			return drawTime
		}
		return min(drawTime, hostTime-tool.Took(ctx))
	}}
	if ask := g.plots.ask; ask != nil {
		d.ask = func(from images.Origin, fig []byte, within time.Duration) (string, error) {
			return ask(ctx, from, fig, within)
		}
	}
	return d
}

// picture is a figure's picture in base64, or why there is none, "" for nothing to say.
func (g *ImageStore) picture(d *drawing, from images.Origin, fig any, room bool) (png, why string) {
	text, err := json.Marshal(fig)
	if err != nil {
		return "", "" // a shared document can hold numbers that JSON cannot write
	}
	name := figure.NameOf(text)
	if png, ok := g.plots.kept.Get(name); ok {
		return png, ""
	}
	if why, ok := d.none[name]; ok || d.ask == nil {
		return "", why
	}
	if !room {
		return "", fmt.Sprintf("an answer shows %d"+textfmt.Hint("; read_nb_cells on its cell alone draws it"), max(0, g.most))
	}
	if d.until.IsZero() {
		d.until = time.Now().Add(d.time())
	}
	left := time.Until(d.until)
	if left < time.Second {
		return "", "there was no time left to draw it" + textfmt.Hint("; read_nb_cells on its cell alone draws it")
	}
	png, err = d.ask(from, text, left)
	var no *figure.NoPicture
	switch {
	case err == nil:
		return png, ""
	case errors.As(err, &no):
		why = no.Why
	}
	d.none[name] = why
	return "", why
}

// A sketcher has figures drawn by kernels, each by one call at a time.
type sketcher struct {
	*Desk
	turns tool.KeyedLock // by the kernel's id
}

// draw has a figure drawn by the kernel of the notebook or the analysis session that it comes from. It starts none.
func (s *sketcher) draw(ctx context.Context, from images.Origin, fig []byte, within time.Duration) (png string, err error) {
	if s.ReadOnly {
		return "", &figure.NoPicture{Why: "with --read-only nothing is run to draw one"}
	}
	client := tool.ClientOf(ctx)
	by := func(a *analysis.Session) error {
		png, err = s.drawIn(ctx, a, fig, within)
		return err
	}
	if !from.Path.IsRoot() {
		err = s.Analyses.Look(ctx, client, from.Path, by)
	} else if a, none := s.Analyses.Get(client, from.Session); none == nil {
		err = by(a)
	} else {
		return "", &figure.NoPicture{} // of code that ran in a kernel of somebody's
	}
	if errors.Is(err, analysis.ErrNoSession) {
		return "", &figure.NoPicture{Why: "its kernel does not run any more"}
	}
	return png, err
}

func (s *sketcher) drawIn(ctx context.Context, a *analysis.Session, fig []byte, within time.Duration) (string, error) {
	until := time.Now().Add(within)
	turn, stop := context.WithDeadline(ctx, until)
	defer stop()
	done, err := s.turns.Lock(turn, a.KernelID())
	switch {
	case err != nil && ctx.Err() == nil:
		return "", &figure.NoPicture{Why: "its kernel is busy drawing others"}
	case err != nil:
		return "", err
	}
	defer done()
	within = time.Until(until)
	kept, name := &s.Images.plots.kept, figure.NameOf(fig)
	if png, ok := kept.Get(name); ok { // by the call before
		return png, nil
	}
	if no := kept.Refused(name, a.KernelID()); no != nil {
		return "", no
	}
	png, err := figure.Draw(ctx, a, fig, within)
	var no *figure.NoPicture
	switch {
	case err == nil:
		kept.Keep(name, png)
	case errors.As(err, &no) && no.Lasting && within > drawTime/2: // it was not for want of time
		kept.Refuse(name, a.KernelID(), no)
	}
	return png, err
}
