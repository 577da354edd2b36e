package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type notebookCreateArgs struct {
	InSession
	Name  string    `json:"name" jsonschema:"Name without extension, or a path from the root folder, in an existing folder." validate:"min=1,max=path"`
	Cells []newCell `json:"cells,omitempty" jsonschema:"The notebook's cells, in order." validate:"min=1,max=200"`
}

// A newCell describes a cell to make.
type newCell struct {
	Type   string `json:"cell_type" validate:"oneof=code markdown"`
	Source string `json:"source" jsonschema:"Source of the cell. Line ends are stored as \\n." validate:"max=source"`
}

// A NotebookCreateResult is the answer of notebook_create.
type NotebookCreateResult struct {
	Message string   `json:"message"`
	Path    string   `json:"path" jsonschema:"The new notebook, without a leading slash."`
	Name    string   `json:"notebook_name" jsonschema:"Its file name, for the other tools."`
	CellIDs []string `json:"cell_ids" jsonschema:"Ids of its cells, in order."`
}

// notebookCreate makes notebook_create.
func notebookCreate(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "notebook_create",
		Title:       "Create a notebook",
		Description: "Creates a notebook with the given cells, or one empty code cell, next to the session's notebook or in the root folder. Use it to document an analysis. It gets the session's kernel type, but the session stays in its own notebook. Runs and overwrites nothing.",
		Output:      tool.ResultOf[NotebookCreateResult](nil),
		Call: tool.Typed(func(ctx context.Context, args notebookCreateArgs) (*tool.Answer, error) {
			a, err := d.Analysis(ctx, args.ID)
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
			file.Metadata = document.KernelMetadata(ctx, d, kernelName(ctx, d, a))
			made, err := d.Files.Create(ctx, paths[0], jupyter.NewContent{Type: "notebook", Format: "json", Content: file.Content()})
			switch {
			case errors.Is(err, files.ErrExists):
				return nil, tool.Coded{Code: CodeExists, Message: fmt.Sprintf("%s already exists: choose another name"+textfmt.Hint(", or change it with notebook_add_cell and notebook_edit_cell"), textfmt.Quoted(paths[0].String()))}
			case errors.Is(err, files.ErrNoFolder):
				return nil, tool.Coded{Code: CodeFolder, Message: fmt.Sprintf("there is no folder %s for %s"+textfmt.Hint(": file_list lists the folders"), textfmt.Quoted(paths[0].Folder().String()), textfmt.Quoted(paths[0].String()))}
			case err != nil:
				return nil, err
			}
			out := NotebookCreateResult{Path: made.Path.String(), Name: made.Path.Name(), CellIDs: []string{}}
			out.Message = fmt.Sprintf("Successfully created %s with %s", made.Path, textfmt.Plural(len(file.Cells), "cell"))
			for _, c := range file.Cells {
				out.CellIDs = append(out.CellIDs, c.ID)
				d.Manager.Memory().Made(tool.ClientOf(ctx), made.Path, c.ID, c.Source)
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

// notebook returns the notebook that a call requests.
func (args notebookCreateArgs) notebook() (nbformat.Notebook, error) {
	file := nbformat.Notebook{}
	if err := target.CheckTotal(args.Cells, func(c newCell) string { return c.Source }); err != nil {
		return file, err
	}
	for i, c := range args.Cells {
		if err := tool.Whole(c.Source); err != nil {
			return file, fmt.Errorf("cells[%d].source %w; nothing was created", i, err)
		}
		file.Cells = append(file.Cells, ydoc.Cell{ID: ydoc.NewID(), Type: c.Type, Source: textfmt.Lines(c.Source)})
	}
	if len(file.Cells) == 0 {
		file.Cells = []ydoc.Cell{{ID: ydoc.NewID(), Type: ydoc.Code}}
	}
	return file, nil
}

// kernelName returns the kernelspec of the session's kernel, "" if it is unknown.
func kernelName(ctx context.Context, d *deps.Deps, a *analysis.Session) string {
	k, err := d.Manager.Servers().Runtime.Kernels.Get(ctx, a.KernelID())
	if err != nil {
		return "" // the server's default is used then
	}
	return k.Name
}
