package desk

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
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// How many images an answer shows, and how large each may be in bytes, where nothing else is said.
const (
	DefaultMaxImages     = 4
	DefaultMaxImageBytes = 1_000_000
)

const (
	// ImageRoom is what the images of an answer take of it together, in bytes of base64, so that text has its share too.
	ImageRoom = 720_000
	// leastImage is the fewest bytes that an image is worth showing in.
	leastImage = 8_000
	// linesKept bounds for how many cells the first line of their code is remembered.
	linesKept = 10_000
	// MaxLine bounds such a line, in characters.
	MaxLine = 200
)

// NotShown begins what stands in the place of an image that is none.
const NotShown = "<image, not shown: "

// Plotly is the figure that plotly's own JavaScript draws, and nothing else.
const Plotly = "application/vnd.plotly.v1+json"

// PictureTypes are the kinds of data that stand beside the JSON of an answer, not in it.
var PictureTypes = append(images.Types(), Plotly)

// Gallery is where the images of all answers come together.
type Gallery struct {
	Store *images.Store
	most  int // images in an answer
	Each  int // bytes of one
	lines *lru.Cache[cellKey, string]
}

type cellKey struct{ path, cell string }

// NewGallery makes one over a store, nil for one of the default size, whose answers show at most so many images of so
// many bytes each, 0 for the defaults.
func NewGallery(store *images.Store, most, each int) (*Gallery, error) {
	g := &Gallery{Store: store, most: most, Each: each}
	if g.Store == nil {
		g.Store = images.NewStore(0)
	}
	if g.most == 0 {
		g.most = DefaultMaxImages
	}
	if g.Each <= 0 {
		g.Each = DefaultMaxImageBytes
	}
	var err error
	if g.lines, err = lru.New[cellKey, string](linesKept); err != nil {
		return nil, fmt.Errorf("make the memory of first lines: %w", err)
	}
	return g, nil
}

// ImageOwner is the session that the images of a call's answer belong to where they are not an analysis session's: the
// client's own.
func ImageOwner(ctx context.Context) string {
	if id := tool.ClientOf(ctx); id != "" {
		return id
	}
	return "default"
}

// OfCell says of a cell's images where they are from.
func (g *Gallery) OfCell(ctx context.Context, doc *session.Document, c ydoc.Cell) images.Origin {
	line := FirstLine(c.Source)
	g.lines.Add(cellKey{doc.Path(), c.ID}, line)
	return images.Origin{
		Session: ImageOwner(ctx), Path: doc.Path(), FileID: doc.FileID(), CellID: c.ID, Count: c.ExecutionCount, Line: line,
	}
}

// OfCode says of the images of code that an analysis session runs in no notebook where they are from.
func (g *Gallery) OfCode(r *run.Run, code string) images.Origin {
	line := FirstLine(code)
	g.lines.Add(cellKey{cell: r.ID}, line)
	return images.Origin{Session: r.Session, Line: line}
}

// OfRun says of a run's images where they are from, without opening its notebook.
func (d *Desk) OfRun(ctx context.Context, r *run.Run, count *int) images.Origin {
	from := images.Origin{Session: ImageOwner(ctx), Path: r.Path, CellID: r.CellID, Count: count}
	if d.ownsImages(ctx, r.Session) {
		from.Session = r.Session
	}
	from.Line, _ = d.Gallery.lines.Get(cellKey{r.Path, cmp.Or(r.CellID, r.ID)})
	return from
}

// ownsImages tells whether a client may see the images of a session: its own, or an analysis session of its.
func (d *Desk) ownsImages(ctx context.Context, session string) bool {
	if session == ImageOwner(ctx) {
		return true
	}
	_, err := d.Analyses.Get(tool.ClientOf(ctx), session)
	return err == nil
}

// ImageSessions are the sessions of which a client may see the images.
func (d *Desk) ImageSessions(ctx context.Context) []string {
	out := []string{ImageOwner(ctx)}
	for _, a := range d.Analyses.List(tool.ClientOf(ctx)) {
		out = append(out, a.ID())
	}
	return out
}

// FirstLine is the first line of code that says something.
func FirstLine(source string) string {
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
	if r := []rune(first); len(r) > MaxLine {
		first = string(r[:MaxLine-1]) + "…"
	}
	return first
}

// A Tray collects the images of one answer.
type Tray struct {
	*Gallery
	show     func(images.Entry, images.Image, images.Limits) (images.Picture, error)
	From     images.Origin // of the cell whose outputs are being shown
	expected int           // images that are to come, about
	room     int           // bytes of base64 left
	Refer    bool          // nothing is shown, only named
	Images   []tool.Image
	Named    []images.Entry // those not shown included
}

// Tray makes one for an answer about outputs with so many images.
func (g *Gallery) Tray(ctx context.Context, expected int) *Tray {
	return &Tray{
		Gallery: g, expected: expected, room: ImageRoom, From: images.Origin{Session: ImageOwner(ctx)},
		show: func(e images.Entry, img images.Image, lim images.Limits) (images.Picture, error) {
			return g.Store.Show(ctx, e, img, lim)
		},
	}
}

// Trays is tray for answers that are written more than once.
func (g *Gallery) Trays(ctx context.Context) func(expected int) *Tray {
	return func(expected int) *Tray { return g.Tray(ctx, expected) }
}

// put takes the images of one output, of which it shows one, and returns what stands in the JSON in their places.
func (t *Tray) put(data map[string]any) map[string]string {
	refs := map[string]string{}
	drawn := false
	for _, mime := range images.Types() {
		if v, ok := data[mime]; ok {
			refs[mime] = t.one(mime, JoinText(v), &drawn)
		}
	}
	if _, ok := data[Plotly]; ok {
		refs[Plotly] = "<interactive plotly figure: there is no picture of it in this output; fig.show(renderer=\"png\") makes one, " +
			"and pio.renderers.default = \"plotly_mimetype+png\" one of each figure (both need the kaleido package)>"
		if drawn {
			refs[Plotly] = "<interactive plotly figure, of which the image is a picture>"
		}
	}
	return refs
}

// one takes an image. drawn tells that there is another form of it already.
func (t *Tray) one(mime, data string, drawn *bool) string {
	if t.Refer {
		*drawn = true
		return t.reference(mime, data)
	}
	e, img, err := t.Store.Add(t.From, mime, data)
	if err != nil {
		return NotShown + err.Error() + ">"
	}
	about := sizeAbout(e)
	if !*drawn {
		t.Named = append(t.Named, e)
	}
	if *drawn {
		return fmt.Sprintf("<the same image, %s: %s>", about, e.URI())
	}
	*drawn = true
	if len(t.Images) >= t.most {
		return fmt.Sprintf("<image, %s, not shown because an answer shows %d: get_image_resource shows %s>", about, max(0, t.most), e.URI())
	}
	left := max(1, min(t.most, t.expected)-len(t.Images))
	bytes := min(t.Each, t.room/left*3/4-3)
	if bytes < min(t.Each, leastImage) {
		return fmt.Sprintf("<image, %s, not shown because the answer is full: get_image_resource shows %s>", about, e.URI())
	}
	p, err := t.show(e, img, images.Limits{Bytes: bytes})
	if err != nil {
		return fmt.Sprintf("<image, %s, not shown: %v; as it is: %s>", about, err, e.URI())
	}
	shown := tool.Image{MIME: p.MIME, Data: base64.StdEncoding.EncodeToString(p.Data)}
	t.Images = append(t.Images, shown)
	t.room -= len(shown.Data)
	size := ""
	if e.Width > 0 && p.Width != e.Width {
		size = fmt.Sprintf(" at %d×%d", p.Width, p.Height)
	}
	return fmt.Sprintf("<image %d, %s, shown below%s: %s>", len(t.Images), about, size, e.URI())
}

// sizeAbout says how large an image is.
func sizeAbout(e images.Entry) string {
	if e.Width == 0 {
		return e.MIME + ", " + words.Kilobytes(e.Bytes)
	}
	return fmt.Sprintf("%d×%d, %s", e.Width, e.Height, words.Kilobytes(e.Bytes))
}

// Mark is how many images there are, for [Tray.Back].
func (t *Tray) Mark() int { return len(t.Images) }

// Back gives back the images taken since a mark, those of a cell that does not fit in the answer.
func (t *Tray) Back(mark int) {
	for _, img := range t.Images[mark:] {
		t.room += len(img.Data)
	}
	t.Images = slices.Clip(t.Images[:mark])
}

// PicturesIn counts the outputs that have an image.
func PicturesIn(outputs []ydoc.Output) (n int) {
	for _, o := range outputs {
		data, _ := o["data"].(map[string]any)
		if slices.ContainsFunc(images.Types(), func(mime string) bool { return data[mime] != nil }) {
			n++
		}
	}
	return n
}

// reference puts an image's address in its place, and shows nothing.
func (t *Tray) reference(mime, data string) string {
	e, _, err := t.Store.Add(t.From, mime, data)
	if err != nil {
		return NotShown + err.Error() + ">"
	}
	return "<image, " + sizeAbout(e) + ": " + e.URI() + ">"
}

// ImageDescription names the cell and the first line of its code.
func ImageDescription(e images.Entry) string {
	out := "Cell " + CellNumber(e) + " of " + e.Path
	if e.Path == "" {
		out = "Code " + CellNumber(e)
	}
	if e.Line != "" {
		out += ": " + e.Line
	}
	return out
}

// CellNumber is a cell's execution count as JupyterLab shows it.
func CellNumber(e images.Entry) string {
	if e.Count == nil {
		return "[ ]"
	}
	return fmt.Sprintf("[%d]", *e.Count)
}
