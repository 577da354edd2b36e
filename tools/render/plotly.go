package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// FiguresLeftOut says how many figures of a run are missing in its cell.
func FiguresLeftOut(n int) string {
	return textfmt.Plural(n, "figure") + " left out: the run has made more than a notebook stores from one run; save figures to files, or make them smaller"
}

// A figure of plotly without an image is drawn by its notebook's kernel when an answer shows it. The image is only for
// answers: people's tabs draw the figure themselves.

// The texts for a figure without an image if the reason is unknown.
const (
	plotlyShort = `<no picture of it: fig.show("png") makes one, if kaleido is installed>`
	plotlyAlone = "<interactive plotly figure: no picture of it in this output; fig.show(renderer=\"png\") makes one, " +
		"and pio.renderers.default = \"plotly_mimetype+png\" one of each figure (both need the kaleido package)>"
)

// The time limits for drawing all figures of one answer: [DrawTime], and until shortly before hosts give up on a silent
// call, which is a minute after it began.
const (
	DrawTime = 15 * time.Second
	hostTime = 57 * time.Second
)

// Plots draws figures, each once.
type Plots struct {
	// Draw draws a figure in the kernel that it comes from, and caches the image; nil without a manager.
	Draw func(ctx context.Context, from images.Origin, fig []byte, within time.Duration) (string, error)
	Kept *figure.Drawings
}

// A drawing has the results of drawing the figures of one answer, across its renderings.
type drawing struct {
	ask   func(from images.Origin, fig []byte, within time.Duration) (string, error) // nil without a manager
	time  func() time.Duration                                                       // the time left for drawing
	until time.Time                                                                  // zero until the first figure is drawn
	none  map[figure.Name]string                                                     // why a figure has no image
}

// drawing makes a drawing for the answer of a call.
func (g *ImageStore) drawing(ctx context.Context) *drawing {
	d := &drawing{none: map[figure.Name]string{}, time: func() time.Duration {
		if tool.HearsProgress(ctx) {
			return DrawTime
		}
		return min(DrawTime, hostTime-tool.Took(ctx))
	}}
	if ask := g.Plots.Draw; ask != nil {
		d.ask = func(from images.Origin, fig []byte, within time.Duration) (string, error) {
			return ask(ctx, from, fig, within)
		}
	}
	return d
}

// picture returns a figure's image in base64, or the reason why it has none; "" if the reason is unknown.
func (g *ImageStore) picture(d *drawing, from images.Origin, fig any, room bool) (png, why string) {
	text, err := json.Marshal(fig)
	if err != nil {
		return "", "" // a shared document can contain numbers that JSON cannot represent
	}
	name := figure.NameOf(text)
	if png, ok := g.Plots.Kept.Get(name); ok {
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
		return "", "no time left to draw it" + textfmt.Hint("; read_nb_cells on its cell alone draws it")
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

// FindIn finds an image in one output.
func (g *ImageStore) FindIn(ctx context.Context, e images.Entry, out ydoc.Output) (images.Image, bool) {
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
