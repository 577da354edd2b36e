package tools

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/ydoc"
)

// How many images an answer shows, and how large each may be in bytes, where nothing else is said.
const (
	DefaultMaxImages     = 4
	DefaultMaxImageBytes = 1_000_000
)

const (
	// imageRoom is what the images of an answer take of it together, in bytes of base64, so that text has its share too.
	imageRoom = 720_000
	// leastImage is the fewest bytes that an image is worth showing in.
	leastImage = 8_000
	// linesKept bounds for how many cells the first line of their code is remembered.
	linesKept = 10_000
	// maxLine bounds such a line, in characters.
	maxLine = 200
)

// notShown begins what stands in the place of an image that is none.
const notShown = "<image, not shown: "

// plotly is the figure that plotly's own JavaScript draws, and nothing else.
const plotly = "application/vnd.plotly.v1+json"

// pictureTypes are the kinds of data that stand beside the JSON of an answer, not in it.
var pictureTypes = append(images.Types(), plotly)

// gallery is where the images of all answers come together.
type gallery struct {
	store *images.Store
	most  int // images in an answer
	each  int // bytes of one
	lines *lru.Cache[cellKey, string]
}

type cellKey struct{ path, cell string }

// newGallery makes one over a store, nil for one of the default size, whose answers show at most so many images of so
// many bytes each, 0 for the defaults.
func newGallery(store *images.Store, most, each int) (*gallery, error) {
	g := &gallery{store: store, most: most, each: each}
	if g.store == nil {
		g.store = images.NewStore(0)
	}
	if g.most == 0 {
		g.most = DefaultMaxImages
	}
	if g.each <= 0 {
		g.each = DefaultMaxImageBytes
	}
	var err error
	if g.lines, err = lru.New[cellKey, string](linesKept); err != nil {
		return nil, fmt.Errorf("make the memory of first lines: %w", err)
	}
	return g, nil
}

// imageOwner is the session that the images of a call's answer belong to where they are not an analysis session's: the
// client's own.
func imageOwner(ctx context.Context) string {
	if id := clientOf(ctx); id != "" {
		return id
	}
	return "default"
}

// ofCell says of a cell's images where they are from.
func (g *gallery) ofCell(ctx context.Context, doc *session.Document, c ydoc.Cell) images.Origin {
	line := firstLine(c.Source)
	g.lines.Add(cellKey{doc.Path(), c.ID}, line)
	return images.Origin{
		Session: imageOwner(ctx), Path: doc.Path(), FileID: doc.FileID(), CellID: c.ID, Count: c.ExecutionCount, Line: line,
	}
}

// ofCode says of the images of code that an analysis session runs in no notebook where they are from.
func (g *gallery) ofCode(r *session.Run, code string) images.Origin {
	line := firstLine(code)
	g.lines.Add(cellKey{cell: r.ID}, line)
	return images.Origin{Session: r.Session, Line: line}
}

// ofRun says of a run's images where they are from, without opening its notebook.
func (d *deps) ofRun(ctx context.Context, r *session.Run, count *int) images.Origin {
	from := images.Origin{Session: imageOwner(ctx), Path: r.Path, CellID: r.CellID, Count: count}
	if d.ownsImages(ctx, r.Session) {
		from.Session = r.Session
	}
	from.Line, _ = d.gallery.lines.Get(cellKey{r.Path, cmp.Or(r.CellID, r.ID)})
	return from
}

// ownsImages tells whether a client may see the images of a session: its own, or an analysis session of its.
func (d *deps) ownsImages(ctx context.Context, session string) bool {
	if session == imageOwner(ctx) {
		return true
	}
	_, err := d.manager.Analysis(clientOf(ctx), session)
	return err == nil
}

// imageSessions are the sessions of which a client may see the images.
func (d *deps) imageSessions(ctx context.Context) []string {
	out := []string{imageOwner(ctx)}
	for _, a := range d.manager.Analyses(clientOf(ctx)) {
		out = append(out, a.ID())
	}
	return out
}

// firstLine is the first line of code that says something.
func firstLine(source string) string {
	first := ""
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" {
			first = line
		}
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "%") {
			first = line
			break
		}
	}
	if r := []rune(first); len(r) > maxLine {
		first = string(r[:maxLine-1]) + "…"
	}
	return first
}

// A tray collects the images of one answer.
type tray struct {
	*gallery
	show     func(images.Entry, images.Image, images.Limits) (images.Picture, error)
	from     images.Origin // of the cell whose outputs are being shown
	expected int           // images that are to come, about
	room     int           // bytes of base64 left
	refer    bool          // nothing is shown, only named
	images   []image
	named    []images.Entry // those not shown included
}

// tray makes one for an answer about outputs with so many images.
func (g *gallery) tray(ctx context.Context, expected int) *tray {
	return &tray{
		gallery: g, expected: expected, room: imageRoom, from: images.Origin{Session: imageOwner(ctx)},
		show: func(e images.Entry, img images.Image, lim images.Limits) (images.Picture, error) {
			return g.store.Show(ctx, e, img, lim)
		},
	}
}

// trays is tray for answers that are written more than once.
func (g *gallery) trays(ctx context.Context) func(expected int) *tray {
	return func(expected int) *tray { return g.tray(ctx, expected) }
}

// put takes the images of one output, of which it shows one, and returns what stands in the JSON in their places.
func (t *tray) put(data map[string]any) map[string]string {
	refs := map[string]string{}
	drawn := false
	for _, mime := range images.Types() {
		if v, ok := data[mime]; ok {
			refs[mime] = t.one(mime, joinText(v), &drawn)
		}
	}
	if _, ok := data[plotly]; ok {
		refs[plotly] = "<interactive plotly figure: there is no picture of it in this output; fig.show(renderer=\"png\") makes one, " +
			"and pio.renderers.default = \"plotly_mimetype+png\" one of each figure (both need the kaleido package)>"
		if drawn {
			refs[plotly] = "<interactive plotly figure, of which the image is a picture>"
		}
	}
	return refs
}

// one takes an image. drawn tells that there is another form of it already.
func (t *tray) one(mime, data string, drawn *bool) string {
	if t.refer {
		*drawn = true
		return t.reference(mime, data)
	}
	e, img, err := t.store.Add(t.from, mime, data)
	if err != nil {
		return notShown + err.Error() + ">"
	}
	about := sizeAbout(e)
	if !*drawn {
		t.named = append(t.named, e)
	}
	if *drawn {
		return fmt.Sprintf("<the same image, %s: %s>", about, e.URI())
	}
	*drawn = true
	if len(t.images) >= t.most {
		return fmt.Sprintf("<image, %s, not shown because an answer shows %d: get_image_resource shows %s>", about, max(0, t.most), e.URI())
	}
	left := max(1, min(t.most, t.expected)-len(t.images))
	bytes := min(t.each, t.room/left*3/4-3)
	if bytes < min(t.each, leastImage) {
		return fmt.Sprintf("<image, %s, not shown because the answer is full: get_image_resource shows %s>", about, e.URI())
	}
	p, err := t.show(e, img, images.Limits{Bytes: bytes})
	if err != nil {
		return fmt.Sprintf("<image, %s, not shown: %v; as it is: %s>", about, err, e.URI())
	}
	shown := image{p.MIME, base64.StdEncoding.EncodeToString(p.Data)}
	t.images = append(t.images, shown)
	t.room -= len(shown.data)
	size := ""
	if e.Width > 0 && p.Width != e.Width {
		size = fmt.Sprintf(" at %d×%d", p.Width, p.Height)
	}
	return fmt.Sprintf("<image %d, %s, shown below%s: %s>", len(t.images), about, size, e.URI())
}

// sizeAbout says how large an image is.
func sizeAbout(e images.Entry) string {
	if e.Width == 0 {
		return e.MIME + ", " + kilobytes(e.Bytes)
	}
	return fmt.Sprintf("%d×%d, %s", e.Width, e.Height, kilobytes(e.Bytes))
}

// mark and back undo the taking of images for a cell that does not fit in the answer.
func (t *tray) mark() int { return len(t.images) }

func (t *tray) back(mark int) {
	for _, img := range t.images[mark:] {
		t.room += len(img.data)
	}
	t.images = slices.Clip(t.images[:mark])
}

// picturesIn counts the outputs that have an image.
func picturesIn(outputs []ydoc.Output) (n int) {
	for _, o := range outputs {
		data, _ := o["data"].(map[string]any)
		if slices.ContainsFunc(images.Types(), func(mime string) bool { return data[mime] != nil }) {
			n++
		}
	}
	return n
}

// reference puts an image's address in its place, and shows nothing.
func (t *tray) reference(mime, data string) string {
	e, _, err := t.store.Add(t.from, mime, data)
	if err != nil {
		return notShown + err.Error() + ">"
	}
	return "<image, " + sizeAbout(e) + ": " + e.URI() + ">"
}

// imageDescription names the cell and the first line of its code.
func imageDescription(e images.Entry) string {
	out := "Cell " + cellNumber(e) + " of " + e.Path
	if e.Path == "" {
		out = "Code " + cellNumber(e)
	}
	if e.Line != "" {
		out += ": " + e.Line
	}
	return out
}

// cellNumber is a cell's execution count as JupyterLab shows it.
func cellNumber(e images.Entry) string {
	if e.Count == nil {
		return "[ ]"
	}
	return fmt.Sprintf("[%d]", *e.Count)
}
