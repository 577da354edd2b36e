package render

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// The default number of images in an answer, and the default limit of each in bytes.
const (
	DefaultMaxImages     = 4
	DefaultMaxImageBytes = 1_000_000
)

const (
	// ImageBudget bounds all images of an answer, in bytes of base64, so that enough room is left for text.
	ImageBudget = 720_000
	// maxRead is the maximum size of an image that fits in an answer, in bytes: base64 turns three bytes into four.
	maxRead = (tool.AnswerBudget - 8000) * 3 / 4
	// leastImage is the smallest limit in bytes at which an image is still worth showing.
	leastImage = 8_000
	// linesKept is the maximum number of cached first code lines.
	linesKept = 10_000
	// MaxLine bounds a cached line, in characters.
	MaxLine = 200
)

// NotShown begins the text that replaces an image that cannot be read.
const NotShown = "<image, not shown: "

// Plotly is the MIME type of figures that only plotly's own JavaScript draws.
const Plotly = "application/vnd.plotly.v1+json"

// PictureTypes are the MIME types whose data is left out of the JSON of an answer.
var PictureTypes = append(images.Types(), Plotly)

// ImageStore has the images of all answers, and the limits for showing them.
type ImageStore struct {
	Store *images.Store
	most  int // images in an answer
	Each  int // bytes of one
	lines *lru.Cache[cellKey, string]
	sent  *lru.Cache[sentImage, time.Time]
	Plots Plots
}

// A sentImage is an image that a client was sent.
type sentImage struct{ client, id string }

// sentFor is how long an image is not sent again: a host may begin another conversation with the same client.
const sentFor = 10 * time.Minute

// sentKept is the maximum number of remembered sent images.
const sentKept = 10_000

// wasSent reports whether the client of an answer in words was sent an image a short time ago.
func (t *ImageSet) wasSent(id string) bool {
	at, ok := t.sent.Peek(sentImage{t.client, id})
	return t.inWords && !t.Again && t.client != "" && ok && time.Since(at) < sentFor
}

type cellKey struct {
	path jupyter.Path
	cell string
}

// NewImageStore makes an ImageStore over a store, nil for one of the default size. An answer shows up to most images of up
// to each bytes; 0 for the defaults.
func NewImageStore(store *images.Store, most, each int) *ImageStore {
	if store == nil {
		store = images.NewStore(0)
	}
	return &ImageStore{
		Store: store, most: cmp.Or(most, DefaultMaxImages), Each: cmp.Or(max(each, 0), DefaultMaxImageBytes),
		lines: lo.Must(lru.New[cellKey, string](linesKept)), sent: lo.Must(lru.New[sentImage, time.Time](sentKept)), Plots: Plots{Kept: figure.NewDrawings()},
	}
}

// ImageOwner returns the session that owns the images of a call's answer unless an analysis session does: the client's own.
func ImageOwner(ctx context.Context) string {
	if id := tool.ClientOf(ctx); id != "" {
		return id
	}
	return "default"
}

// OfCell returns the origin of a cell's images.
func (g *ImageStore) OfCell(ctx context.Context, doc *session.Document, c ydoc.Cell) images.Origin {
	line := FirstLine(c.Source)
	g.lines.Add(cellKey{doc.Path(), c.ID}, line)
	return images.Origin{
		Session: ImageOwner(ctx), Path: doc.Path(), FileID: doc.FileID(), CellID: c.ID, Count: c.ExecutionCount, Line: line,
	}
}

// OfCode returns the origin of the images of code that an analysis session runs outside a notebook.
func (g *ImageStore) OfCode(r *run.Run, code string) images.Origin {
	line := FirstLine(code)
	g.lines.Add(cellKey{cell: r.ID}, line)
	return images.Origin{Session: r.Session, Line: line}
}

// LineOf returns the first line of a run's code, "" if it is not cached.
func (g *ImageStore) LineOf(r *run.Run) string {
	line, _ := g.lines.Get(cellKey{r.Path, cmp.Or(r.CellID, r.ID)})
	return line
}

// FirstLine returns the first line of code that is neither a comment nor a magic, or else the first line.
func FirstLine(source string) string {
	first := ""
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		first = cmp.Or(first, line)
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

// An ImageSet collects the images of one answer.
type ImageSet struct {
	*ImageStore
	show          func(images.Entry, images.Image, images.Limits) (images.Picture, error)
	read          func(images.Entry, images.Image) (images.Picture, error)
	From          images.Origin // the cell whose outputs are being shown
	expected      int           // the approximate number of images
	budget        int           // bytes of base64 left
	AddressesOnly bool          // give only the addresses of images
	inWords       bool          // write references as short as possible
	client        string        // the receiver of the answer
	Again         bool          // show also the images that the client was sent before
	figures       *drawing
	said          map[string]bool // the reasons already given for missing figures
	Images        []tool.Image
	Named         []images.Entry // including those not shown, each with the type that reading its address returns
}

// NewSet makes a set for an answer with about expected images.
func (g *ImageStore) NewSet(ctx context.Context, expected int) *ImageSet {
	return g.Sets(ctx)(expected)
}

// ReadWhole reports whether reading an image's address returns the original.
func ReadWhole(e images.Entry) bool { return e.Bytes <= maxRead }

// Readable returns an image as reading its address returns it: the original, or a smaller image if the original does not fit
// in an answer.
func (g *ImageStore) Readable(ctx context.Context, e images.Entry, img images.Image) (images.Picture, error) {
	if ReadWhole(e) {
		return images.Picture{Image: img, OwnWidth: img.Width, OwnHeight: img.Height}, nil
	}
	p, err := g.Store.Show(ctx, e, img, images.Limits{Bytes: maxRead})
	if err != nil {
		return images.Picture{}, fmt.Errorf("image %s cannot be made smaller: %w; its original is at %s", e.URI(), err, e.URI()+images.FullSuffix)
	}
	return p, nil
}

// Sets returns a function that makes sets, for answers that are rendered more than once.
func (g *ImageStore) Sets(ctx context.Context) func(expected int) *ImageSet {
	d := g.drawing(ctx)
	return func(expected int) *ImageSet {
		return &ImageSet{
			figures: d, said: map[string]bool{}, ImageStore: g, expected: expected, budget: ImageBudget, inWords: tool.InWords(ctx), client: tool.ClientOf(ctx), From: images.Origin{Session: ImageOwner(ctx)},
			show: func(e images.Entry, img images.Image, lim images.Limits) (images.Picture, error) {
				return g.Store.Show(ctx, e, img, lim)
			},
			read: func(e images.Entry, img images.Image) (images.Picture, error) { return g.Readable(ctx, e, img) },
		}
	}
}

// put adds the images of one output, shows one of them, and returns the texts that replace them in the JSON.
func (t *ImageSet) put(data map[string]any) map[string]string {
	refs := map[string]string{}
	drawn := false
	for _, mime := range images.Types() {
		if v, ok := data[mime]; ok {
			refs[mime] = t.one(mime, JoinText(v), &drawn)
		}
	}
	if fig, ok := data[Plotly]; ok {
		if drawn {
			refs[Plotly] = t.undrawn("<interactive plotly figure, shown as the image>", "")
			return refs
		}
		png, why := t.picture(t.figures, t.From, fig, !t.AddressesOnly && len(t.Images) < t.most)
		if png == "" {
			refs[Plotly] = t.noPicture(why)
			return refs
		}
		refs["image/png"] = t.one("image/png", png, &drawn)
		refs[Plotly] = t.undrawn("<interactive plotly figure, shown as the image that its kernel has drawn>", "")
	}
	return refs
}

// undrawn returns the text about a figure for JSON, or for words.
func (t *ImageSet) undrawn(inJSON, inWords string) string {
	if t.inWords {
		return inWords
	}
	return inJSON
}

// noPicture says that a figure of plotly has no image; the first time in an answer it also says why.
func (t *ImageSet) noPicture(why string) string {
	switch {
	case why == "":
		return t.undrawn(plotlyAlone, plotlyShort)
	case t.said[why]:
		return t.undrawn("<interactive plotly figure, no picture of it>", "<no picture of it>")
	}
	t.said[why] = true
	return t.undrawn("<interactive plotly figure, no picture of it: ", "<no picture of it: ") + why + ">"
}

// one adds an image. drawn says that another form of it was already added.
func (t *ImageSet) one(mime, data string, drawn *bool) string {
	if t.AddressesOnly {
		*drawn = true
		return t.reference(mime, data)
	}
	e, img, err := t.Store.Add(t.From, mime, data)
	if err != nil {
		return NotShown + err.Error() + ">"
	}
	if p, err := t.read(e, img); err == nil {
		e.MIME = p.MIME
	}
	about, address := sizeAbout(e), e.URI()
	if t.inWords {
		about, address = pixelsOf(e), e.ShortURI()
	}
	if *drawn {
		return fmt.Sprintf("<the same image, %s: %s>", about, address)
	}
	t.Named, *drawn = append(t.Named, e), true
	if t.wasSent(e.ID) {
		return fmt.Sprintf("<image, %s, sent before"+textfmt.Hint("; get_image_resource shows it again")+": %s>", about, address)
	}
	if len(t.Images) >= t.most {
		return fmt.Sprintf("<image, %s, not shown because an answer shows %d"+textfmt.Hint(": get_image_resource shows %s")+">", about, max(0, t.most), address)
	}
	left := max(1, min(t.most, t.expected)-len(t.Images))
	bytes := min(t.Each, t.budget/left*3/4-3)
	if bytes < min(t.Each, leastImage) {
		return fmt.Sprintf("<image, %s, not shown because the answer is full"+textfmt.Hint(": get_image_resource shows %s")+">", about, address)
	}
	p, err := t.show(e, img, images.Limits{Bytes: bytes})
	if err != nil {
		return fmt.Sprintf("<image, %s, not shown: %v; original: %s>", about, err, address)
	}
	shown := tool.Image{MIME: p.MIME, Data: base64.StdEncoding.EncodeToString(p.Data), Sent: func() { t.sent.Add(sentImage{t.client, e.ID}, time.Now()) }}
	t.Images = append(t.Images, shown)
	t.budget -= len(shown.Data)
	size := ""
	if e.Width > 0 && p.Width != e.Width {
		size = fmt.Sprintf(" at %d×%d", p.Width, p.Height)
	}
	if t.inWords {
		return fmt.Sprintf("<image %d, %s%s: %s>", len(t.Images), about, size, address)
	}
	return fmt.Sprintf("<image %d, %s, shown below%s: %s>", len(t.Images), about, size, address)
}

// sizeAbout describes the size of an image.
func sizeAbout(e images.Entry) string {
	if e.Width == 0 {
		return e.MIME + ", " + textfmt.Kilobytes(e.Bytes)
	}
	return fmt.Sprintf("%d×%d, %s", e.Width, e.Height, textfmt.Kilobytes(e.Bytes))
}

// pixelsOf returns the size of an image in pixels, or else its type.
func pixelsOf(e images.Entry) string {
	if e.Width == 0 {
		return strings.TrimPrefix(e.MIME, "image/")
	}
	return fmt.Sprintf("%d×%d", e.Width, e.Height)
}

// Rollback removes the images after the first count, if their cell does not fit in the answer.
func (t *ImageSet) Rollback(count int) {
	for _, img := range t.Images[count:] {
		t.budget += len(img.Data)
	}
	t.Images = slices.Clip(t.Images[:count])
	t.said = map[string]bool{}
}

// PicturesIn counts the outputs that have an image, or will have one when they are shown.
func PicturesIn(outputs []ydoc.Output) (n int) {
	for _, o := range datauri.Expand(outputs) {
		if data, _ := o["data"].(map[string]any); slices.ContainsFunc(PictureTypes, func(mime string) bool { return data[mime] != nil }) {
			n++
		}
	}
	return n
}

// PicturesOf returns outputs that display a cell's attachments and the images in its source that are data: URIs.
func PicturesOf(c ydoc.Cell) []ydoc.Output {
	_, files := datauri.Abbreviate(c.Source)
	out := datauri.Pictures(files)
	for _, name := range slices.Sorted(maps.Keys(c.Attachments)) {
		bundle, _ := c.Attachments[name].(map[string]any)
		out = append(out, datauri.Picture(datauri.Attachment(name), bundle))
	}
	return out
}

// reference returns a text with the image's address, without showing the image.
func (t *ImageSet) reference(mime, data string) string {
	e, _, err := t.Store.Add(t.From, mime, data)
	if err != nil {
		return NotShown + err.Error() + ">"
	}
	return "<image, " + sizeAbout(e) + ": " + e.URI() + ">"
}

// ImageDescription names the cell and the first line of its code.
func ImageDescription(e images.Entry) string {
	out := "Cell " + CellNumber(e) + " of " + e.Path.String()
	if e.Path.IsRoot() {
		out = "Code " + CellNumber(e)
	}
	if e.Line != "" {
		out += ": " + e.Line
	}
	return out
}

// CellNumber returns a cell's execution count as JupyterLab shows it.
func CellNumber(e images.Entry) string {
	if e.Count == nil {
		return "[ ]"
	}
	return fmt.Sprintf("[%d]", *e.Count)
}
