package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	defaultCellData = 2048
	maxCellData     = 100_000
)

// open joins the room of the notebook that a call names, or takes it as it is open. The caller releases it.
func (d *deps) open(ctx context.Context, path string) (*session.Document, error) {
	clean, err := notebookArg("path", path)
	if err != nil {
		return nil, err
	}
	doc, err := d.manager.Open(ctx, clean)
	if errors.Is(err, jupyter.ErrNotFound) {
		return nil, fmt.Errorf("there is no notebook %q on the Jupyter server: paths are relative to its root folder; list_nbs shows the notebooks there are", clean)
	}
	if err == nil {
		d.visits.note(ctx, doc, true)
	}
	return doc, err
}

// revision writes a revision for clients: a string, because it may be beyond the numbers that JSON readers keep whole.
func revision(r ydoc.Revision) string { return strconv.FormatUint(uint64(r), 10) }

func revisionSchema(of string) schema {
	return text("Changes exactly when " + of + " does; to be compared, not understood.")
}

type notebookArgs struct {
	Path string `json:"path"`
}

type notebookStat struct {
	Path         string     `json:"path"`
	CellCount    int        `json:"cell_count"`
	LastModified string     `json:"last_modified"`
	Kernel       kernelStat `json:"kernel"`
	Revision     string     `json:"revision"`
	People       []person   `json:"people,omitempty"`
}

// A person is somebody else in the notebook's room.
type person struct {
	Name   string `json:"name"`
	Agent  bool   `json:"agent,omitempty"`
	CellID string `json:"cell_id,omitempty"`
	Index  *int   `json:"cell_index,omitempty"`
}

// peopleIn lists who else has the notebook open.
func peopleIn(doc *session.Document) []person {
	var out []person
	for _, p := range doc.People() {
		who := person{Name: p.Name, Agent: p.Agent, CellID: p.CellID}
		if p.CellID != "" {
			who.Index = &p.Index
		}
		if out = append(out, who); len(out) == maxPeople {
			break
		}
	}
	return out
}

// maxPeople bounds how many of the others are named.
const maxPeople = 50

type kernelStat struct {
	Name  string `json:"name"`
	ID    string `json:"id"`
	State string `json:"state"`
}

// noKernel is the state of a kernel that does not run.
const noKernel = "not_running"

// getNbStat makes get_nb_stat.
func getNbStat(d *deps) tool {
	return tool{
		name:    "get_nb_stat",
		title:   "Notebook status",
		toolset: toolsetNotebook,
		description: "Returns how many cells a notebook has now, when its file was last written, the state of its kernel, without starting one, and who else has it open and in which cell each is. " +
			"Use it before naming cell indexes, or to see whether the kernel is busy. Costs little.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(required("path", pathSchema())),
		output: object("", append([]property{
			required("path", text("The notebook, without a leading slash.")),
			required("cell_count", integer("Cells in the shared document, unsaved edits included.")),
			required("last_modified", text("ISO 8601 time at which the file on disk was last written.")),
			required("kernel", object("The kernel that the notebook shares with the tabs that have it open.",
				required("name", text("Kernel name, such as \"python3\"; where none runs, the one that the notebook asks for, or \"\".")),
				required("id", text("Kernel id; \"\" where none runs.")),
				required("state", text("\"idle\", \"busy\", \"starting\", … or \""+noKernel+"\".")),
			)),
			required("revision", revisionSchema("the notebook's content")),
			optional("people", list("Who else has the notebook open; somebody who came before you is known after 15 seconds.", object("",
				required("name", text("")),
				optional("agent", boolean("Another agent, not a person.")),
				optional("cell_id", text("The cell that the caret is in.")),
				optional("cell_index", integer("The same cell's index.")),
			))),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args notebookArgs) (*answer, error) {
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			file, err := d.manager.Server().Contents(ctx, doc.Path(), jupyter.ContentsOptions{})
			if err != nil {
				return nil, err
			}
			k, running, err := d.manager.Kernel(ctx, doc.Path())
			if err != nil {
				return nil, err
			}
			nb := doc.Notebook()
			stat := notebookStat{
				Path: doc.Path(), CellCount: nb.Len(), LastModified: stamp(file.LastModified),
				Kernel: kernelStat{k.Name, k.ID, k.State}, Revision: revision(nb.Revision()), People: peopleIn(doc),
			}
			if !running {
				spec, _ := nb.Metadata()["kernelspec"].(map[string]any)
				name, _ := spec["name"].(string)
				stat.Kernel = kernelStat{Name: name, State: noKernel}
			}
			return &answer{body: stat, doc: doc}, nil
		}),
	}
}

type readArgs struct {
	Path   string      `json:"path"`
	Ranges []cellRange `json:"ranges"`
	Cursor string      `json:"cursor"`
	Max    *int        `json:"maxCellData"`
}

type readResult struct {
	Path      string     `json:"path"`
	Cells     []cellView `json:"cells"`
	Truncated bool       `json:"truncated"`
	Max       int        `json:"max_cell_data"`
	CellCount int        `json:"cell_count"`
	Revision  string     `json:"revision"`
	Next      string     `json:"next_cursor,omitempty"`
	Message   string     `json:"message,omitempty"`
}

// A cellView is a cell as an answer shows it.
type cellView struct {
	Index          int              `json:"index"`
	ID             string           `json:"id"`
	CellType       string           `json:"cell_type"`
	Source         string           `json:"source"`
	Metadata       map[string]any   `json:"metadata"`
	ExecutionCount *int             `json:"execution_count"`
	ExecutionState string           `json:"execution_state,omitempty"`
	Outputs        []map[string]any `json:"outputs"`
	OutputsOmitted int              `json:"outputs_omitted,omitempty"`
	Truncated      cellTruncation   `json:"truncated"`
	Revision       string           `json:"revision"`
	Fault          string           `json:"fault,omitempty"`
}

type cellTruncation struct {
	Source   bool   `json:"source"`
	Outputs  []bool `json:"outputs"`
	Metadata bool   `json:"metadata,omitempty"`
}

// readNbCells makes read_nb_cells.
func readNbCells(d *deps) tool {
	return tool{
		name:    "read_nb_cells",
		title:   "Read notebook cells",
		toolset: toolsetNotebook,
		description: "Reads cells with their sources and outputs as they are in the shared document now, what people have typed and not yet saved included. " +
			"Use it before editing, and to look at a cell that is still running. " +
			"Costs up to maxCellData characters for each source and each output: name ranges in a large notebook. " +
			"Long text is cut in the middle and marked so; some images come beside the JSON, the others by address. " +
			"Cells that do not fit in one answer are read with next_cursor.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			required("path", pathSchema()),
			optional("ranges", rangesSchema("Cells to read, each once, in the order given. Left out: all cells.", 1)),
			optional("cursor", text("The next_cursor of an answer, in place of ranges: goes on where that answer ended, also where cells have moved since.").length(1, maxCursor)),
			maxCellDataProperty(),
		),
		output: readSchema(),
		handle: typed(func(ctx context.Context, args readArgs) (*answer, error) {
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			return d.readCells(ctx, doc, args)
		}),
	}
}

func maxCellDataProperty() property {
	return optional("maxCellData", integer("Most characters of each source and each output.").between(1, maxCellData).def(defaultCellData))
}

func readSchema() schema {
	return object("", append([]property{
		required("path", text("The notebook, without a leading slash.")),
		required("cells", list("", cellSchema())),
		required("truncated", boolean("Whether anything was cut or left out.")),
		required("max_cell_data", integer("The limit that was applied.")),
		required("cell_count", integer("Cells in the notebook.")),
		required("revision", revisionSchema("the notebook's content")),
		optional("next_cursor", text("Where cells did not fit: the cursor for the next call.")),
		optional("message", text("What was left out, and how to get it.")),
	}, savedProperties()...)...)
}

// readCells answers with the cells of an open notebook that the call asks for, and notes that its client knows them.
func (d *deps) readCells(ctx context.Context, doc *session.Document, args readArgs) (*answer, error) {
	limit := defaultCellData
	if args.Max != nil {
		limit = *args.Max
	}
	nb := doc.Notebook()
	rev, cells := nb.Revision(), nb.Cells()
	indexes, moved, err := cellsToRead(args, cells)
	if err != nil {
		return nil, err
	}
	page, err := showCells(cells, indexes, limit, showerOf(ctx, d.gallery, doc))
	if err != nil {
		return nil, err
	}
	next, err := nextCursor(page.left, cells, wholeReading(args))
	if err != nil {
		return nil, err
	}
	for _, v := range page.cells {
		d.seen.show(ctx, doc, cells[v.Index])
	}
	return &answer{doc: doc, images: page.images, body: readResult{
		Path: doc.Path(), Cells: page.cells, Truncated: page.truncated, Max: limit,
		CellCount: len(cells), Revision: revision(rev), Next: next, Message: sentences(moved, page.message),
	}}, nil
}

func cellSchema() schema {
	return object("",
		required("index", integer("Position, counted from 0.")),
		required("id", text("Stays the same when the cell moves.")),
		required("cell_type", text("code, markdown or raw.")),
		required("source", text("")),
		required("metadata", anyObject("")),
		required("execution_count", integer("Null where the cell was not executed.").orNull()),
		optional("execution_state", text("\"running\" while the cell runs or waits for its turn.")),
		required("outputs", list("nbformat outputs; an image's data is named here and shown beside the JSON.", outputSchema())),
		optional("outputs_omitted", integer("Outputs left out of the middle.")),
		required("truncated", object("",
			required("source", boolean("")),
			required("outputs", list("For each output.", boolean(""))),
			optional("metadata", boolean("Whether the metadata was left out because it is large.")),
		)),
		required("revision", revisionSchema("the cell")),
		optional("fault", text("What is wrong with the cell's shape in the shared document, where something is: delete it then.")),
	)
}

// outputSchema describes an output in an answer.
func outputSchema() schema {
	return object("",
		required("output_type", text("execute_result, display_data, stream or error.")),
		optional("data", anyObject("By MIME type.")),
		optional("metadata", anyObject("")),
		optional("execution_count", integer("").orNull()),
		optional("name", text("Error name, or stdout or stderr.")),
		optional("value", text("Error value.")),
		optional("traceback", list("Error traceback, line by line.", text(""))),
		optional("text", text("Stream text.")),
	)
}

// showCell cuts one cell to size.
func showCell(c ydoc.Cell, index, limit int, outputs contents, lim outputLimits, pictures *tray) cellView {
	v := cellView{Index: index, ID: c.ID, CellType: c.Type, Revision: revision(c.Revision)}
	v.Fault, _ = cut(c.Fault, 500)
	v.Source, v.Truncated.Source = cut(c.Source, limit)
	v.Metadata, v.Truncated.Metadata = smallObject(c.Metadata)
	v.Outputs, v.Truncated.Outputs = []map[string]any{}, []bool{}
	if c.Type == ydoc.Code {
		v.ExecutionCount, v.ExecutionState = c.ExecutionCount, c.ExecutionState
		o := outputs.show(lim, pictures)
		v.Outputs, v.Truncated.Outputs, v.OutputsOmitted = o.outputs, o.cut, o.omitted
	}
	return v
}

// cut tells whether anything of the cell was cut or left out.
func (v cellView) cut() bool {
	for _, b := range v.Truncated.Outputs {
		if b {
			return true
		}
	}
	return v.Truncated.Source || v.Truncated.Metadata || v.OutputsOmitted > 0
}
