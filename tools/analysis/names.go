package analysis

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// The tools of the set "cells" name a notebook by its name, as people do, and a cell by its index or its id. The name is
// looked up beside the session's notebook, then in the root folder; a name with a slash is a path from the root.

// The codes of the errors of these tools, besides those of every analysis session.
const (
	CodeNotNotebook = "not_a_notebook"
	CodeExists      = "already_exists"
	CodeFolder      = "folder_not_found"
	CodeFile        = "file_not_found"
	CodeIsFolder    = "is_a_folder"
	CodeNotFolder   = "not_a_folder"
	CodeNotText     = "not_text"
	CodePath        = "invalid_path"
)

// NotebookExt ends the name of each notebook.
const NotebookExt = ".ipynb"

// A notebookName names a notebook in a call.
type notebookName struct {
	InSession
	Name string `json:"notebook_name" validate:"min=1,max=path"`
}

// Refine implements tool.Refiner.
func (notebookName) Refine(f tool.Fields) {
	f.Field("notebook_name").Say(notebookNameText)
}

const notebookNameText = "Name, with or without \".ipynb\", of a notebook beside the session's or in the root folder; or its path from the root folder."

// An ownNotebook names a notebook in a call; left out, it means the session's own.
type ownNotebook struct{ notebookName }

// Refine implements tool.Refiner.
func (ownNotebook) Refine(f tool.Fields) {
	f.Optional("notebook_name")
	f.Field("notebook_name").Say(notebookNameText + " Left out: the session's own notebook.")
}

// A CellName names a cell in a call.
type CellName struct {
	Index  *int   `json:"cell_index,omitempty" jsonschema:"Index of the cell, from 0. Needed unless cell_id is given." validate:"max=index"`
	CellID string `json:"cell_id,omitempty" jsonschema:"Id of the cell, instead of cell_index." validate:"min=1,max=id,cellid"`
}

// Check refuses a call that names no cell, or names it both ways.
func (c CellName) Check() error {
	if (c.Index == nil) == (c.CellID == "") {
		return errors.New("give either cell_index or cell_id")
	}
	return nil
}

// Find returns the current state of the named cell in a view of the notebook.
func (c CellName) Find(doc *session.Document, v target.View) (ydoc.Cell, error) {
	if c.Index != nil {
		if *c.Index < 0 || *c.Index >= len(v.Listed) {
			return ydoc.Cell{}, tool.Coded{Code: deps.CodeCell, Message: fmt.Sprintf("there is no cell %d in %s: %s", *c.Index, doc.Path(), target.Holds(len(v.Listed)))}
		}
		cell, err := v.At(*c.Index, "cell_index")
		if err != nil {
			return cell, tool.Coded{Code: deps.CodeCell, Message: err.Error()}
		}
		return cell, nil
	}
	at, err := v.Find(c.CellID, "cell_id")
	var unknown *target.UnknownCellError
	switch {
	case errors.As(err, &unknown):
		return ydoc.Cell{}, tool.Coded{Code: deps.CodeCell, Message: fmt.Sprintf("there is no cell with the id %s in %s"+textfmt.Hint(": notebook_get shows the ids"), textfmt.Quoted(c.CellID), doc.Path())}
	case err != nil:
		return ydoc.Cell{}, tool.Coded{Code: deps.CodeCell, Message: err.Error()}
	}
	return v.Now[at], nil
}

// open opens the notebook that a call names. The caller releases it.
func (n notebookName) open(ctx context.Context, d *deps.Deps) (*session.Document, error) {
	if n.Name == "" {
		a, doc, err := d.SessionNotebook(ctx, n.ID)
		if err == nil && doc == nil {
			err = tool.Coded{Code: deps.CodeNone, Message: fmt.Sprintf("session %s: %v: give notebook_name", a.ID(), analysis.ErrNoNotebook)}
		}
		return doc, err
	}
	a, err := d.Analysis(ctx, n.ID)
	if err != nil {
		return nil, err
	}
	paths, err := notebookPaths("notebook_name", n.Name, a.NotebookPath())
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		doc, err := d.Manager.Open(ctx, p)
		switch {
		case err == nil:
			d.Opened.Note(ctx, doc, true)
			return doc, nil
		case errors.Is(err, session.ErrNotNotebook):
			return nil, notANotebook(p, "folder")
		case !errors.Is(err, jupyter.ErrNotFound):
			return nil, err
		}
	}
	return nil, noNotebook(ctx, d, n.Name, paths)
}

// noNotebook returns the error of a name without a notebook at any of its paths. It says so if a file or folder has that
// name.
func noNotebook(ctx context.Context, d *deps.Deps, name string, paths []jupyter.Path) error {
	var names []string
	for _, p := range paths {
		names = append(names, textfmt.Quoted(p.String()))
		if path.Ext(name) == NotebookExt {
			continue
		}
		other := p.Folder().Join(strings.TrimSuffix(p.Name(), NotebookExt))
		if c, err := d.Manager.Servers().Documents.Contents.Get(ctx, other, jupyter.ContentsOptions{}); err == nil {
			return notANotebook(other, c.Type)
		}
	}
	return tool.Coded{Code: deps.CodeNotebook, Message: "there is no notebook " + strings.Join(names, " or ") + " on the Jupyter server" + textfmt.Hint(": file_list lists the files") + textfmt.Hint(", notebook_create makes one")}
}

func notANotebook(p jupyter.Path, kind string) error {
	use := textfmt.Hint(": file_read reads it")
	if kind != "file" {
		kind, use = "folder", textfmt.Hint(": file_list lists it")
	}
	return tool.Coded{Code: CodeNotNotebook, Message: fmt.Sprintf("%s is a %s, not a notebook%s", textfmt.Quoted(p.String()), kind, use)}
}

// notebookPaths returns the possible paths of a notebook with a name, the one beside another notebook first. argument is the
// argument that gave the name.
func notebookPaths(argument, name string, beside jupyter.Path) ([]jupyter.Path, error) {
	clean, err := jupyter.ParsePath(name)
	if err != nil {
		return nil, tool.Coded{Code: CodePath, Message: fmt.Sprintf("%s: %v", argument, err)}
	}
	last := clean.Name()
	if strings.HasSuffix(name, "/") || strings.TrimSpace(strings.TrimSuffix(last, NotebookExt)) == "" {
		return nil, tool.Coded{Code: CodePath, Message: fmt.Sprintf("%s %s is not a notebook name: give a name such as \"analysis\", or a path such as \"work/analysis.ipynb\"", argument, textfmt.Quoted(name))}
	}
	if clean.Ext() != NotebookExt {
		clean = clean.Folder().Join(last + NotebookExt)
	}
	if dir := beside.Folder(); !dir.IsRoot() && !strings.Contains(name, "/") {
		return []jupyter.Path{dir.Join(clean.Name()), clean}, nil
	}
	return []jupyter.Path{clean}, nil
}

// fileOf returns the file or folder at the path that a call names, for a session of its client. A known error has its code.
func fileOf(ctx context.Context, d *deps.Deps, id, p string) (jupyter.Content, error) {
	clean, err := pathOf(ctx, d, id, p)
	if err != nil {
		return jupyter.Content{}, err
	}
	c, err := d.Manager.Servers().Documents.Contents.Get(ctx, clean, jupyter.ContentsOptions{})
	if errors.Is(err, jupyter.ErrNotFound) {
		err = tool.Coded{Code: CodeFile, Message: fmt.Sprintf("%s does not exist on the Jupyter server: paths are relative to its root folder"+textfmt.Hint("; file_list lists the files"), textfmt.Quoted(clean.String()))}
	}
	return c, err
}

// pathOf returns the path that a call names, for a session of its client. A known error has its code.
func pathOf(ctx context.Context, d *deps.Deps, id, p string) (jupyter.Path, error) {
	if _, err := d.Analysis(ctx, id); err != nil {
		return jupyter.Path{}, err
	}
	clean, err := jupyter.ParsePath(p)
	if err != nil {
		return jupyter.Path{}, tool.Coded{Code: CodePath, Message: "path: " + err.Error()}
	}
	return clean, nil
}

// FileNotFolder is fileOf for a path that must be a file or a notebook.
func FileNotFolder(ctx context.Context, d *deps.Deps, id, p string) (jupyter.Content, error) {
	c, err := fileOf(ctx, d, id, p)
	if err == nil && c.Type == "directory" {
		err = tool.Coded{Code: CodeIsFolder, Message: fmt.Sprintf("%s is a folder"+textfmt.Hint(": file_list lists its contents"), textfmt.Quoted("/"+c.Path.String()))}
	}
	return c, err
}

// cellOfNotebook names a cell and its notebook in a call.
type cellOfNotebook struct {
	ownNotebook
	CellName
}

// naming returns the view in which the cell is found.
func (cellOfNotebook) naming(v target.View) target.View { return v }

// inCell is [tool.Typed] for a tool that changes one cell of a notebook, which is open while answer runs. base is the
// revision on which the call bases its change, 0 if it gives none.
func inCell[A interface {
	base() string
	open(context.Context, *deps.Deps) (*session.Document, error)
	naming(target.View) target.View
	Find(*session.Document, target.View) (ydoc.Cell, error)
}](d *deps.Deps, answer func(context.Context, *session.Document, ydoc.Cell, ydoc.Revision, A) (*tool.Answer, error)) tool.Call {
	return tool.Typed(func(ctx context.Context, args A) (*tool.Answer, error) {
		base, err := target.ParseRevision(args.base())
		if err != nil {
			return nil, err
		}
		doc, err := args.open(ctx, d)
		if err != nil {
			return nil, err
		}
		defer doc.Release()
		cell, err := args.Find(doc, args.naming(target.ViewOf(ctx, doc)))
		if err != nil {
			return nil, err
		}
		return answer(ctx, doc, cell, base, args)
	})
}
