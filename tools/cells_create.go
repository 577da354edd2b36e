package tools

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

type notebookCreateArgs struct {
	ID    string        `json:"session_id"`
	Name  string        `json:"name"`
	Cells []initialCell `json:"cells"`
}

type initialCell struct {
	Type   string `json:"cell_type"`
	Source string `json:"source"`
}

type notebookCreateResult struct {
	Message string   `json:"message"`
	Path    string   `json:"path"`
	Name    string   `json:"notebook_name"`
	CellIDs []string `json:"cell_ids"`
}

// notebookCreate makes notebook_create.
func notebookCreate(d *deps) tool {
	return tool{
		name:    "notebook_create",
		title:   "Create a notebook",
		toolset: toolsetCells,
		description: "Makes a new notebook with the cells given, or one empty code cell, beside the notebook of the session, or in the root folder where it has none. " +
			"It is for the session's kind of kernel, but the session stays in its own notebook: session_create with notebook_path works in the new one. " +
			"Nothing is run, and nothing that exists is overwritten. Use it to write down an analysis. Costs little.",
		marks: marks{},
		input: arguments(
			sessionProperty(),
			required("name", text("Name without extension; or a path from the root folder, into a folder that exists.").length(1, 4096)),
			optional("cells", list("The notebook's cells, in order.", arguments(
				required("cell_type", cellTypeSchema()),
				required("source", contentSchema("Source of the cell.")),
			)).items(1, maxNewCells)),
		),
		output: object("",
			required("message", text("")),
			required("path", text("The new notebook, without a leading slash.")),
			required("notebook_name", text("Its file name, for the other tools.")),
			required("cell_ids", list("Ids of its cells, in order.", text(""))),
		),
		handle: typed(func(ctx context.Context, args notebookCreateArgs) (*answer, error) {
			a, err := d.analysis(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			paths, err := notebookPaths("name", args.Name, a.NotebookPath())
			if err != nil {
				return nil, err
			}
			file, err := args.notebook()
			if err != nil {
				return nil, err
			}
			file.metadata = d.kernelMetadata(ctx, d.kernelName(ctx, a))
			made, err := d.manager.Create(ctx, paths[0], jupyter.NewContent{Type: "notebook", Format: "json", Content: file.nbformat()})
			switch {
			case errors.Is(err, session.ErrExists):
				return nil, coded{codeExists, fmt.Sprintf("there is something at %s already, and nothing is overwritten: choose another name, or change it with notebook_add_cell and notebook_edit_cell", quoted(paths[0]))}
			case errors.Is(err, session.ErrNoFolder):
				return nil, coded{codeFolder, fmt.Sprintf("there is no folder %s for %s: file_list shows those there are", quoted(path.Dir(paths[0])), quoted(paths[0]))}
			case err != nil:
				return nil, err
			}
			out := notebookCreateResult{Path: made.Path, Name: path.Base(made.Path), CellIDs: []string{}}
			out.Message = fmt.Sprintf("Successfully created %s with %s", made.Path, plural(len(file.cells), "cell"))
			for _, c := range file.cells {
				out.CellIDs = append(out.CellIDs, c.id)
				d.seen.makeCell(ctx, made.Path, c)
			}
			return &answer{body: out}, nil
		}),
	}
}

func cellTypeSchema() schema { return oneOf("", ydoc.Code, ydoc.Markdown) }

// notebook is the notebook that a call asks for.
func (args notebookCreateArgs) notebook() (notebookFile, error) {
	var sources []string
	for _, c := range args.Cells {
		sources = append(sources, c.Source)
	}
	if err := checkTotal(sources...); err != nil {
		return notebookFile{}, err
	}
	file := notebookFile{}
	for i, c := range args.Cells {
		if marked(c.Source) {
			return file, fmt.Errorf("cells[%d].source %s; nothing was created", i, markedWhy)
		}
		file.cells = append(file.cells, fileCell{id: newCellID(), kind: c.Type, source: lines(c.Source)})
	}
	if len(file.cells) == 0 {
		file.cells = []fileCell{{id: newCellID(), kind: ydoc.Code}}
	}
	return file, nil
}

// kernelName is the kernelspec of the session's kernel, "" where it is not known.
func (d *deps) kernelName(ctx context.Context, a *Analysis) string {
	k, err := d.manager.KernelServer().Kernel(ctx, a.KernelID())
	if err != nil {
		return "" // then it is the server's default
	}
	return k.Name
}

// makeCell notes that the client of ctx has made a cell of a new notebook.
func (s *seen) makeCell(ctx context.Context, path string, c fileCell) {
	s.cells.Add(seenKey{clientOf(ctx), path, c.id}, s.hash(c.source))
}
