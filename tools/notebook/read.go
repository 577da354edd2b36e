package notebook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/notebook/outlined"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

// The default and the largest number of characters shown of each source and each output.
const (
	DefaultCellData = 2048
	MaxCellData     = 100_000
)

// A Stat is the answer of get_nb_stat.
type Stat struct {
	Path         string     `json:"path" jsonschema:"The notebook, without a leading slash."`
	CellCount    int        `json:"cell_count" jsonschema:"Cells in the shared document, unsaved edits included."`
	LastModified string     `json:"last_modified" jsonschema:"ISO 8601 time at which the file on disk was last written."`
	Kernel       KernelStat `json:"kernel" jsonschema:"The kernel that the notebook shares with its open tabs."`
	Revision     string     `json:"revision" changes:"the notebook's content"`
	People       []person   `json:"people,omitempty" jsonschema:"Others who have the notebook open; people who came before you appear after 15 seconds."`
}

// A person is another participant in the notebook's room.
type person struct {
	Name   string `json:"name"`
	Agent  bool   `json:"agent,omitempty" jsonschema:"Another agent, not a person."`
	CellID string `json:"cell_id,omitempty" jsonschema:"The caret's cell."`
	Index  *int   `json:"cell_index,omitempty" jsonschema:"That cell's index."`
}

// peopleIn lists the other participants that have the notebook open.
func peopleIn(doc *session.Document) []person {
	var out []person
	for _, p := range doc.People() {
		who := person{Name: p.Name, Agent: p.Agent, CellID: p.CellID}
		if p.CellID != "" {
			who.Index = &p.Index
		}
		if out = append(out, who); len(out) == document.MaxPeople {
			break
		}
	}
	return out
}

// A KernelStat is the state of a notebook's kernel.
type KernelStat struct {
	Name  string `json:"name" jsonschema:"Kernel name, such as \"python3\"; if none runs, the notebook's, or \"\"."`
	ID    string `json:"id" jsonschema:"Kernel id; \"\" if none runs."`
	State string `json:"state" jsonschema:"\"idle\", \"busy\", \"starting\", … or \"not_running\"."`
}

// NoKernel is the state of a kernel that is not running.
const NoKernel = "not_running"

// getNbStat makes get_nb_stat.
func getNbStat(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "get_nb_stat",
		Title: "Notebook status",
		Description: "Returns a notebook's number of cells, when its file was last written, its kernel's state (none is started), and who else has it open, in which cell. " +
			"Use it before naming cell indexes, or to see whether the kernel is busy. Costs little.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.DocumentResultOf[Stat](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, _ target.InNotebook) (*tool.Answer, error) {
			file, err := d.Manager.Servers().Documents.Contents.Get(ctx, doc.Path(), jupyter.ContentsOptions{})
			if err != nil {
				return nil, err
			}
			k, running, err := d.Manager.Kernel(ctx, doc.Path())
			if err != nil {
				return nil, err
			}
			nb := doc.Notebook()
			doc.As(tool.ClientOf(ctx)).List(nb.Cells()) // the client sees the number of cells
			stat := Stat{
				Path: doc.Path().String(), CellCount: nb.Len(), LastModified: tool.Stamp(file.LastModified),
				Kernel: KernelStat{k.Name, k.ID, k.State}, Revision: target.Revision(target.Now(doc)), People: peopleIn(doc),
			}
			if !running {
				spec, _ := nb.Metadata()["kernelspec"].(map[string]any)
				name, _ := spec["name"].(string)
				stat.Kernel = KernelStat{Name: name, State: NoKernel}
			}
			return &tool.Answer{Body: stat, Doc: doc}, nil
		}),
	}
}

// ReadArgs are the arguments of read_nb_cells.
type ReadArgs struct {
	target.InNotebook
	Ranges  []target.CellRange `json:"ranges,omitempty" jsonschema:"Left out: all cells." validate:"min=1,max=ranges"`
	Outline bool               `json:"outline,omitempty" jsonschema:"Only a line for each cell: heading, defined names or first line, run state." default:"false"`
	ReadOn
}

// ReadOn are the arguments of every tool that reads cells page by page.
type ReadOn struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"The next_cursor of an answer, in place of ranges: continues where that ended." validate:"min=1,max=65536"`
	Max    *int   `json:"maxCellData,omitempty" jsonschema:"Maximum characters of each source and output." validate:"min=1,max=100000" default:"2048"`
}

// A ReadResult is the answer of every tool that reads cells page by page.
type ReadResult struct {
	Path      string     `json:"path" jsonschema:"The notebook, without a leading slash."`
	Cells     []CellView `json:"cells"`
	Truncated bool       `json:"truncated" jsonschema:"Whether anything was cut or left out."`
	Max       int        `json:"max_cell_data" jsonschema:"The limit that was applied."`
	CellCount int        `json:"cell_count" jsonschema:"Cells in the notebook."`
	Revision  string     `json:"revision" changes:"the notebook's content"`
	Next      string     `json:"next_cursor,omitempty" jsonschema:"If cells did not fit: the cursor for the next call."`
	Message   string     `json:"message,omitempty" jsonschema:"Which parts were left out, and how to get them."`

	Outline []outlined.Cell `json:"outline,omitempty" jsonschema:"In place of cells, if it was asked for."`

	one bool // whether only one cell was requested
}

// A CellView is a cell in an answer.
type CellView struct {
	Index          int              `json:"index" jsonschema:"Position, counted from 0."`
	ID             string           `json:"id" jsonschema:"Stays the same when the cell moves."`
	CellType       string           `json:"cell_type" jsonschema:"code, markdown or raw."`
	Source         string           `json:"source"`
	Metadata       map[string]any   `json:"metadata"`
	ExecutionCount *int             `json:"execution_count" jsonschema:"Null if the cell was not executed."`
	ExecutionState string           `json:"execution_state,omitempty" jsonschema:"\"running\" while the cell runs or is queued."`
	Outputs        []map[string]any `json:"outputs" jsonschema:"nbformat outputs; images are named here and shown beside the JSON."`
	OutputsOmitted int              `json:"outputs_omitted,omitempty" jsonschema:"Outputs left out of the middle."`
	Truncated      cellTruncation   `json:"truncated"`
	Revision       string           `json:"revision" changes:"the cell"`
	Unconfirmed    bool             `json:"unconfirmed,omitempty" jsonschema:"Whether the source has edits of yours that the server has not confirmed."`
	Fault          string           `json:"fault,omitempty" jsonschema:"The cell's fault in the shared document; if set, delete the cell."`
	shortened      bool             // see [render.ContentsFor]
}

// Refine implements tool.Refiner.
func (CellView) Refine(f tool.Fields) {
	f.Field("outputs").ListOf(tool.ResultOf[Output](nil))
}

type cellTruncation struct {
	Source   bool   `json:"source"`
	Outputs  []bool `json:"outputs" jsonschema:"For each output."`
	Metadata bool   `json:"metadata,omitempty" jsonschema:"Whether the metadata was left out because it is large."`
}

// An Output has the fields of all types of outputs in an answer.
type Output struct {
	Type           string         `json:"output_type" jsonschema:"execute_result, display_data, stream or error."`
	Data           map[string]any `json:"data,omitempty" jsonschema:"By MIME type."`
	Metadata       map[string]any `json:"metadata,omitempty"`
	ExecutionCount *int           `json:"execution_count,omitempty" validate:"null"`
	Name           string         `json:"name,omitempty" jsonschema:"Error name, or stdout or stderr."`
	Value          string         `json:"value,omitempty" jsonschema:"Error value."`
	Traceback      []string       `json:"traceback,omitempty" jsonschema:"Error traceback, line by line."`
	Text           string         `json:"text,omitempty" jsonschema:"Stream text."`
}

// readNbCells makes read_nb_cells.
func readNbCells(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "read_nb_cells",
		Title:       "Read notebook cells",
		Description: "Reads a notebook's cells with outputs, or a text document, as they are now, unsaved typing included. Use it before editing, and to look at a running cell. Of a large notebook read the outline, then ranges. Long text is cut in the middle; cells that do not fit come with next_cursor.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.EitherOf(tool.DocumentResultOf[ReadResult](nil), tool.DocumentResultOf[document.TextResult](nil)),
		Call: tool.Typed(func(ctx context.Context, args ReadArgs) (*tool.Answer, error) {
			if !strings.HasSuffix(args.Path, ".ipynb") {
				if args.Ranges != nil || args.Outline {
					return nil, errors.New(textfmt.Quoted(args.Path) + " is a text document, which has no cells: leave ranges and outline out")
				}
				return document.ReadPaged(ctx, d, args.Path, args.Max, args.Cursor)
			}
			doc, err := d.Open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			if args.Outline {
				return readOutline(ctx, d, doc, args)
			}
			return ReadCells(ctx, d, doc, args)
		}),
	}
}

// ReadCells answers with the requested cells of an open notebook, and records that the client has seen them.
func ReadCells(ctx context.Context, d *deps.Deps, doc *session.Document, args ReadArgs) (*tool.Answer, error) {
	return readWithin(ctx, d, doc, args, tool.AnswerBudget)
}

// ReadAll is ReadCells for all cells from the first, as far as they fit in most bytes of words. The answer begins with why.
func ReadAll(ctx context.Context, d *deps.Deps, doc *session.Document, most int, why string) (*tool.Answer, error) {
	a, err := readWithin(ctx, d, doc, ReadArgs{}, most)
	if err != nil {
		return nil, err
	}
	r, _ := a.Body.(*ReadResult)
	more := r.Message
	r.Message = tool.Sentences(why, more)
	if inWords := a.Words; inWords != nil {
		a.Words = func() plaintext.Text {
			both := r.Message
			r.Message = more
			t := inWords()
			t.First, r.Message = why+": "+t.First, both
			return t
		}
	}
	return a, nil
}

// readWithin is ReadCells for the cells that fit in budget bytes.
func readWithin(ctx context.Context, d *deps.Deps, doc *session.Document, args ReadArgs, budget int) (*tool.Answer, error) {
	limit := tool.ValueOr(args.Max, DefaultCellData)
	rev, view := target.Now(doc), target.ViewNow(ctx, doc)
	d.Opened.Read(ctx, doc, rev)
	cells := view.Now
	indexes, moved, err := cellsToRead(args, view)
	if err != nil {
		return nil, err
	}
	show := renderingOf(ctx, d, doc)
	show.budget = budget
	if limit > DefaultCellData {
		show.contents = render.ContentsOf // a higher limit also means whole tracebacks
	}
	page, err := showCells(cells, indexes, limit, show)
	if err != nil {
		return nil, err
	}
	next, err := nextCursor(page.left, cells, wholeReading(args))
	if err != nil {
		return nil, err
	}
	shown := make([]int, len(page.cells))
	for i, v := range page.cells {
		if !v.Truncated.Source {
			doc.As(tool.ClientOf(ctx)).Show(cells[v.Index])
		}
		shown[i] = v.Index
		target.Touch(ctx, doc, v.ID)
	}
	doc.As(tool.ClientOf(ctx)).List(cells, shown...)
	out := &ReadResult{
		Path: doc.Path().String(), Cells: page.cells, Truncated: page.truncated, Max: limit,
		CellCount: len(cells), Revision: target.Revision(rev), Next: next, Message: tool.Sentences(moved, page.message),
		one: args.Ranges != nil && len(indexes) == 1,
	}
	return &tool.Answer{Doc: doc, Images: page.images, Body: out, Words: target.CellWords(ctx, doc, out.words)}, nil
}

// showCell cuts one cell to size.
func showCell(c ydoc.Cell, index, limit int, outputs render.Contents, lim render.OutputLimits, pictures *render.ImageSet) CellView {
	v := CellView{Index: index, ID: c.ID, CellType: c.Type, Revision: target.Revision(c.Revision)}
	v.Fault, _ = textfmt.Cut(c.Fault, 500)
	v.Source, v.Truncated.Source = textfmt.Cut(datauri.Short(c.Source), limit)
	v.Metadata, v.Truncated.Metadata = render.SmallObject(c.Metadata)
	if c.Type == ydoc.Code {
		v.ExecutionCount, v.ExecutionState = c.ExecutionCount, c.ExecutionState
	}
	o := outputs.Show(lim, pictures)
	v.Outputs, v.Truncated.Outputs, v.OutputsOmitted, v.shortened = o.Outputs, o.Cut, o.Omitted, o.Short
	return v
}

// cut reports whether anything of the cell was cut or left out.
func (v CellView) cut() bool {
	return v.Truncated.Source || v.Truncated.Metadata || v.OutputsOmitted > 0 || slices.Contains(v.Truncated.Outputs, true)
}

// readOutline answers with the outline of an open notebook.
func readOutline(ctx context.Context, d *deps.Deps, doc *session.Document, args ReadArgs) (*tool.Answer, error) {
	if args.Cursor != "" {
		return nil, errors.New("cursor and outline are both given: an outline needs no cursor, ranges choose its cells")
	}
	rev, view := target.Now(doc), target.ViewNow(ctx, doc)
	d.Opened.Read(ctx, doc, rev)
	indexes, _, err := cellsToRead(args, view)
	if err != nil {
		return nil, err
	}
	out := &ReadResult{Path: doc.Path().String(), Cells: []CellView{}, CellCount: len(view.Now), Revision: target.Revision(rev)}
	for _, i := range indexes {
		out.Outline = append(out.Outline, outlined.Of(i, view.Now[i]))
	}
	doc.As(tool.ClientOf(ctx)).List(view.Now, indexes...)
	a := &tool.Answer{Doc: doc, Body: out, Words: target.CellWords(ctx, doc, out.outlineWords)}
	return a, a.TrimTo(len(out.Outline), func(n int) {
		out.Outline, out.Truncated = out.Outline[:n], true
		out.Message = fmt.Sprintf("the outline ends after %s because the answer would be too long: give ranges", textfmt.Plural(n, "cell"))
	})
}
