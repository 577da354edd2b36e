package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/analysis/srcbook"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// maxText bounds the text of a resource, in bytes on the wire.
const maxText = tool.AnswerBudget - 30_000

// The MIME types of notebooks' resources.
const (
	MIMEJSON     = "application/json"
	MIMEMarkdown = "text/markdown"
)

// readNotebook reads a resource of a notebook. It does not run code or open a notebook.
func (d *Provider) readNotebook(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	u, err := parseNotebookURI(req.Params.URI)
	if err != nil {
		return nil, err
	}
	var c mcp.TextResourceContents
	switch u.form {
	case formList:
		c, err = d.readList(ctx)
	case formTemplate:
		c, err = readTemplate(u)
	case formCurrent:
		current, ok := d.CurrentNotebook(ctx)
		if !ok {
			return nil, noResource(u.uri, msgCurrent, "no notebook of this client is open: a tool that takes a path or a session opens one")
		}
		c, err = d.readOwned(ctx, current, u)
	default:
		var owned deps.OwnedNotebook
		if owned, err = d.findNotebook(ctx, u); err == nil {
			c, err = d.readOwned(ctx, owned, u)
		}
	}
	if err != nil {
		return nil, err
	}
	c.URI = u.uri
	return []mcp.ResourceContents{c}, nil
}

// readOwned reads a notebook, or a part of it, which counts as a use of the notebook. The description of a notebook has its
// revision.
func (d *Provider) readOwned(ctx context.Context, o deps.OwnedNotebook, u notebookURI) (r mcp.TextResourceContents, err error) {
	if !o.Doc.Hold() {
		return mcp.TextResourceContents{}, noResource(u.uri, msgNotebook, "it was closed just now: reading it by its path opens it again")
	}
	defer o.Doc.Release()
	if err := o.Doc.Fresh(ctx); err != nil {
		return mcp.TextResourceContents{}, fmt.Errorf("read %s: %w", u.uri, err)
	}
	revision := target.Now(o.Doc) // read first, because a revision that is too old is harmless
	defer func() {
		if err == nil && u.form != formRun {
			r.Meta["revision"] = target.Revision(revision)
		}
	}()
	nb := o.Doc.Notebook()
	cells := nb.Cells() // read before the content, because a revision that is too old is harmless
	switch u.form {
	case formCurrent, formSrcmd, formExport:
		c, err := d.readSrcmd(o)
		if blank(cells) && u.form != formExport { // an export can be imported again
			c.Text = emptyNotebook
		}
		return noted(ctx, o, cells, c), err
	case formJSON:
		c, err := d.readJSON(ctx, o)
		return noted(ctx, o, cells, c), err
	case formCells:
		c, err := d.readCellList(o)
		return noted(ctx, o, cells, c), err
	case formRun:
		return d.readRun(ctx, o, u)
	case formCell, formOutputs, formFile:
		at := ydoc.Named(cells, u.cell)
		if len(at) > 1 && u.form != formFile {
			return mcp.TextResourceContents{}, noResource(u.uri, msgCell, target.Twins(cells, u.cell, at)+"; give one of these ids")
		}
		var c ydoc.Cell
		ok := len(at) == 1
		if u.form == formFile {
			c, ok = cellOfFile(nb, u.cell)
		} else if ok {
			c = cells[at[0]]
		}
		if !ok {
			return mcp.TextResourceContents{}, noResource(u.uri, msgCell, "the notebook has no cell "+textfmt.Quoted(u.cell)+": "+target.NotebookAddress(o.Session, o.Doc.FileID(), formCells)+" lists its cells")
		}
		if u.form == formOutputs {
			return d.readOutputs(ctx, o, c)
		}
		text, left := cutLines(c.Source, "reading the notebook's cells shows them")
		if left == 0 {
			o.Doc.As(tool.ClientOf(ctx)).Show(c)
		}
		return contentsText(text, cellLanguage(nb, c).MIME, left, d.metaOf(o).readFields(cellMeta(nb, c))), nil
	}
	return mcp.TextResourceContents{}, noResource(u.uri, msgFormat+u.cell, notebookForms)
}

// emptyNotebook is the text of a notebook without cells.
const emptyNotebook = "Empty notebook"

// blank reports whether a notebook has no cells, or only the empty one that a room puts into such a notebook.
func blank(cells []ydoc.Cell) bool {
	return len(cells) == 0 || len(cells) == 1 && cells[0].Source == "" && len(cells[0].Outputs) == 0
}

// noted records that the client of ctx was shown the cells of a notebook, except cut-off ones.
func noted(ctx context.Context, o deps.OwnedNotebook, cells []ydoc.Cell, c mcp.TextResourceContents) mcp.TextResourceContents {
	if c.Text == "" {
		return c
	}
	shown := len(cells)
	if left, ok := c.Meta["cellsLeftOut"].(int); ok {
		shown = max(0, shown-left)
	} else if c.Meta["truncated"] == true {
		shown = 0
	}
	o.Doc.As(tool.ClientOf(ctx)).Show(cells[:shown]...)
	o.Doc.As(tool.ClientOf(ctx)).ListRange(cells, 0, shown)
	if moved := o.Doc.As(tool.ClientOf(ctx)).Moved(); moved != "" {
		c.Meta["movedSince"] = moved
	}
	return c
}

// contentsText returns a text resource with its description.
func contentsText(text, mime string, left int, meta map[string]any) mcp.TextResourceContents {
	if left > 0 {
		meta["truncated"], meta["bytesLeftOut"] = true, left
	}
	return mcp.TextResourceContents{MIMEType: mime, Text: text, Meta: meta}
}

// contentsJSON returns a resource of indented JSON.
func contentsJSON(v any, meta map[string]any) (mcp.TextResourceContents, error) {
	b, err := tool.Indented(v, "  ")
	if err != nil {
		return mcp.TextResourceContents{}, fmt.Errorf("write a notebook's resource: %w", err)
	}
	return mcp.TextResourceContents{MIMEType: MIMEJSON, Text: string(b), Meta: meta}, nil
}

// An OwnedEntry is a notebook in notebook://list.
type OwnedEntry struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
	CellCount int    `json:"cellCount"`
	// Pattern is the template that the notebook was made from, null for none.
	Pattern   *string `json:"pattern"`
	CreatedAt string  `json:"createdAt"`
	Name      string  `json:"name"`
	Path      string  `json:"path"`
	URI       string  `json:"uri"`
}

func (d *Provider) readList(ctx context.Context) (mcp.TextResourceContents, error) {
	list := []OwnedEntry{}
	for _, o := range d.OwnedNotebooks(ctx) {
		m := d.metaOf(o)
		var pattern *string
		if m.Pattern != "" {
			pattern = &m.Pattern
		}
		list = append(list, OwnedEntry{m.NotebookID, m.SessionID, m.CellCount, pattern, m.CreatedAt, m.name(), m.Path, target.NotebookAddress(o.Session, m.NotebookID)})
	}
	return contentsJSON(list, map[string]any{"notebookCount": len(list), "name": "Active Notebooks", "description": "List of all active notebooks of this client"})
}

// asSrcmd returns a notebook in the form that srcbook encodes.
func asSrcmd(nb *ydoc.Notebook, title string) srcbook.Notebook {
	out := srcbook.Notebook{Title: title, Language: languageOf(nb).Name}
	for _, key := range []string{"kernelspec", analysis.OwnMetadata} {
		if v, ok := nb.Metadata()[key].(map[string]any); ok {
			if out.Metadata == nil {
				out.Metadata = map[string]any{}
			}
			out.Metadata[key] = v
		}
	}
	for _, c := range nb.Cells() {
		metadata, _ := render.SmallObject(withoutTrust(c.Metadata))
		out.Cells = append(out.Cells, srcbook.Cell{ID: c.ID, Type: c.Type, Source: c.Source, Metadata: metadata})
	}
	return out
}

// withoutTrust returns a cell's metadata without the key that is only for open tabs.
func withoutTrust(metadata map[string]any) map[string]any {
	out := maps.Clone(metadata)
	delete(out, nbformat.Trusted)
	return out
}

func (d *Provider) readSrcmd(o deps.OwnedNotebook) (mcp.TextResourceContents, error) {
	text, err := srcbook.Encode(asSrcmd(o.Doc.Notebook(), path.Base(target.ExportName(o.Doc.Path()))))
	if err != nil {
		return mcp.TextResourceContents{}, fmt.Errorf("write %s as srcbook markdown: %w", textfmt.Quoted(o.Doc.Path().String()), err)
	}
	text, left := cutLines(text, "read single cells at "+target.NotebookAddress(o.Session, o.Doc.FileID(), formCells, "")+"{cell-id}")
	m := d.metaOf(o)
	return contentsText(text, MIMEMarkdown, left, m.readFields(nil)), nil
}

// readJSON returns a notebook in nbformat, with its outputs made harmless. If it is too large, it first cuts outputs, then
// leaves out cells at the end.
func (d *Provider) readJSON(ctx context.Context, o deps.OwnedNotebook) (mcp.TextResourceContents, error) {
	nb := o.Doc.Notebook()
	cells := nb.Cells()
	meta := d.metaOf(o).readFields(nil)
	lim := render.LimitsOf(notebook.MaxCellData)
	for left := 0; ; {
		content := nbformat.Of(nb)
		list, _ := content["cells"].([]any)
		list = list[:min(len(list), len(cells)-left)]
		wasCut := left > 0
		for i := range list {
			cell, _ := list[i].(map[string]any)
			if cells[i].Type != ydoc.Code || cell == nil {
				continue
			}
			shown, cut := safeOutputs(cells[i].Outputs, lim, d.addressesOnly(ctx, o.Doc, cells[i]))
			cell["outputs"] = shown
			wasCut = wasCut || cut
		}
		content["cells"] = list
		if c, err := contentsJSON(content, meta); err != nil || fitsWire(c.Text) || len(list) == 0 {
			if wasCut {
				meta["truncated"], meta["cellsLeftOut"] = true, left
			}
			return c, err
		}
		if lim.None() {
			left += max(1, len(list)/4)
			continue
		}
		if lim = lim.Halved(); lim.Total < 500 {
			lim = render.OutputLimits{}
		}
	}
}

// A ListedCell is a cell in a notebook's cells resource.
type ListedCell struct {
	ID             string `json:"id"`
	Type           string `json:"type"`
	Source         string `json:"source"`
	Language       string `json:"language,omitempty"`
	Status         string `json:"status,omitempty"`
	ExecutionCount *int   `json:"executionCount,omitempty"`
	HasOutputs     bool   `json:"hasOutputs"`
}

func (d *Provider) readCellList(o deps.OwnedNotebook) (mcp.TextResourceContents, error) {
	nb := o.Doc.Notebook()
	list := lo.Map(nb.Cells(), func(c ydoc.Cell, _ int) ListedCell {
		return ListedCell{c.ID, c.Type, c.Source, cellLanguage(nb, c).Name, cellStatus(c), c.ExecutionCount, len(c.Outputs) > 0}
	})
	meta := d.metaOf(o).readFields(map[string]any{"name": "Notebook Cells", "description": "Individual cells from the notebook"})
	for all := len(list); ; list = list[:len(list)*3/4] {
		if c, err := contentsJSON(list, meta); err != nil || fitsWire(c.Text) || len(list) == 0 {
			if len(list) < all {
				meta["truncated"], meta["cellsLeftOut"] = true, all-len(list)
			}
			return c, err
		}
	}
}

// addressesOnly makes an image set that replaces a cell's images by their addresses.
func (d *Provider) addressesOnly(ctx context.Context, doc *session.Document, c ydoc.Cell) *render.ImageSet {
	t := d.Images.NewSet(ctx, 0)
	t.From, t.AddressesOnly = d.Images.OfCell(ctx, doc, c), true
	return t
}

// fullLimits are the limits of outputs that are read alone.
var fullLimits = render.OutputLimits{Each: 400_000, Total: 400_000, Count: 1000}

func (d *Provider) readOutputs(ctx context.Context, o deps.OwnedNotebook, c ydoc.Cell) (mcp.TextResourceContents, error) {
	meta := d.metaOf(o).readFields(cellMeta(o.Doc.Notebook(), c))
	return d.outputsJSON(ctx, o, c, meta, c.Outputs, func(shown []map[string]any) any { return shown })
}

// outputsJSON returns outputs, wrapped by around, within the size of a resource.
func (d *Provider) outputsJSON(ctx context.Context, o deps.OwnedNotebook, c ydoc.Cell, meta map[string]any, outputs []ydoc.Output, around func([]map[string]any) any) (mcp.TextResourceContents, error) {
	for lim := fullLimits; ; lim = lim.Halved() {
		shown, wasCut := safeOutputs(outputs, lim, d.addressesOnly(ctx, o.Doc, c))
		if r, err := contentsJSON(around(shown), meta); err != nil || fitsWire(r.Text) || lim.None() {
			if wasCut {
				meta["truncated"] = true
			}
			return r, err
		}
	}
}

// An Execution is a run as a resource.
type Execution struct {
	ID             string           `json:"id"`
	CellID         string           `json:"cellId"`
	State          string           `json:"state"`
	ExecutionCount *int             `json:"executionCount"`
	StartedAt      string           `json:"startedAt,omitempty"`
	EndedAt        string           `json:"endedAt,omitempty"`
	Error          string           `json:"error,omitempty"`
	Note           string           `json:"note,omitempty"`
	Outputs        []map[string]any `json:"outputs"`
}

func (d *Provider) readRun(ctx context.Context, o deps.OwnedNotebook, u notebookURI) (mcp.TextResourceContents, error) {
	r, ok := d.Manager.RunTable().Run(u.run)
	if !ok || !notebook.Visible(ctx, r) || r.Path != o.Doc.Path() {
		return mcp.TextResourceContents{}, noResource(u.uri, msgRun, "this notebook has no known run "+textfmt.Quoted(u.run)+": it belongs to another client, or is too old")
	}
	res := r.Result()
	out := Execution{
		ID: r.ID, CellID: r.CellID, State: string(res.State), ExecutionCount: res.Count,
		StartedAt: tool.Stamp(res.Started), EndedAt: tool.Stamp(res.Ended), Note: res.Note,
	}
	if res.Err != nil {
		out.Error = printable(res.Err.Error())
	}
	c, _ := o.Doc.Notebook().Cell(r.CellID)
	c.ID, c.ExecutionCount = r.CellID, res.Count
	meta := d.metaOf(o).readFields(map[string]any{"executionId": r.ID, "cellId": r.CellID, "state": out.State})
	return d.outputsJSON(ctx, o, c, meta, res.Outputs, func(shown []map[string]any) any {
		out.Outputs = shown
		return out
	})
}

// wireBytes returns the size of a text in an answer, in bytes.
func wireBytes(s string) int {
	b, err := json.Marshal(s)
	if err != nil {
		return len(s)
	}
	return len(b)
}

func fitsWire(s string) bool { return len(s) <= maxText && wireBytes(s) <= maxText }

// cutLines cuts a text that is too large at the end of a line, and adds a note about it. left is the number of bytes left
// out.
func cutLines(s, instead string) (out string, left int) {
	if fitsWire(s) {
		return s, 0
	}
	end, free := 0, maxText-1000
	for line := range strings.Lines(s) {
		if free -= wireBytes(line); free < 0 {
			break
		}
		end += len(line)
	}
	left = len(s) - end
	return s[:end] + "\n[cut at the end of a line: " + textfmt.Thousands(left) + " bytes are left out; " + instead + "]\n", left
}
