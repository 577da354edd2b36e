package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// The tools of the set "cells" name a notebook as people do, by its name, and a cell by its index or its id. A name is
// looked for beside the session's notebook, then in the root folder; one with a slash is a path from the root.

// The codes of the errors that they are answered with, beside those of every analysis session.
const (
	codeNotNotebook = "not_a_notebook"
	codeExists      = "already_exists"
	codeFolder      = "folder_not_found"
	codeFile        = "file_not_found"
	codeIsFolder    = "is_a_folder"
	codeNotFolder   = "not_a_folder"
	codeNotText     = "not_text"
	codePath        = "invalid_path"
)

const notebookExt = ".ipynb"

// A notebookName is how a call names a notebook.
type notebookName struct {
	ID   string `json:"session_id"`
	Name string `json:"notebook_name"`
}

const notebookNameText = "Name, with or without \".ipynb\", of a notebook beside the session's or in the root folder; or its path from the root folder."

// notebookNameProperties describe a notebookName of which the session's own notebook may be meant.
func notebookNameProperties() []property {
	return []property{
		sessionProperty(),
		optional("notebook_name", text(notebookNameText+" Left out: the session's own notebook.").length(1, 4096)),
	}
}

// A cellName is how a call names a cell.
type cellName struct {
	Index  *int   `json:"cell_index"`
	CellID string `json:"cell_id"`
}

func cellProperties() []property {
	return []property{
		optional("cell_index", integer("Index of the cell, from 0. Needed unless cell_id is given.").between(0, maxIndex)),
		optional("cell_id", idSchema("Id of the cell, in place of cell_index.")),
	}
}

// check refuses a call that names no cell, or names it twice.
func (c cellName) check() error {
	if (c.Index == nil) == (c.CellID == "") {
		return errors.New("give one of cell_index and cell_id")
	}
	return nil
}

// find returns the cell as it is now.
func (c cellName) find(doc *session.Document) (ydoc.Cell, error) {
	nb := doc.Notebook()
	cell, ok := nb.Cell(c.CellID)
	if c.Index != nil {
		cell, ok = nb.CellAt(*c.Index)
	}
	switch {
	case ok:
		return cell, nil
	case c.Index != nil:
		return cell, coded{codeCell, fmt.Sprintf("there is no cell %d in %s: %s", *c.Index, doc.Path(), holds(nb.Len()))}
	default:
		return cell, coded{codeCell, fmt.Sprintf("there is no cell with the id %s in %s: notebook_get shows the ids", quoted(c.CellID), doc.Path())}
	}
}

// open opens the notebook that a call names. The caller releases it.
func (n notebookName) open(ctx context.Context, d *deps) (*session.Document, error) {
	if n.Name == "" {
		a, doc, err := d.sessionNotebook(ctx, n.ID)
		if err == nil && doc == nil {
			err = coded{codeNone, fmt.Sprintf("session %s: %v: give notebook_name", a.ID(), session.ErrNoNotebook)}
		}
		return doc, err
	}
	a, err := d.analysis(ctx, n.ID)
	if err != nil {
		return nil, err
	}
	paths, err := notebookPaths("notebook_name", n.Name, a.NotebookPath())
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		doc, err := d.manager.Open(ctx, p)
		switch {
		case err == nil:
			d.visits.note(ctx, doc, true)
			return doc, nil
		case errors.Is(err, session.ErrNotNotebook):
			return nil, notANotebook(p, "folder")
		case !errors.Is(err, jupyter.ErrNotFound):
			return nil, err
		}
	}
	return nil, d.noNotebook(ctx, n.Name, paths)
}

// noNotebook says that there is none at the paths that a name can mean. Something else may have that very name.
func (d *deps) noNotebook(ctx context.Context, name string, paths []string) error {
	var names []string
	for _, p := range paths {
		names = append(names, quoted(p))
		if path.Ext(name) == notebookExt {
			continue
		}
		other := strings.TrimSuffix(p, notebookExt)
		if c, err := d.manager.Server().Contents(ctx, other, jupyter.ContentsOptions{}); err == nil {
			return notANotebook(other, c.Type)
		}
	}
	return coded{codeNotebook, "there is no notebook " + strings.Join(names, " nor ") + " on the Jupyter server: file_list shows what there is, notebook_create makes one"}
}

func notANotebook(p, kind string) error {
	use := "file_read reads it"
	if kind != "file" {
		kind, use = "folder", "file_list lists it"
	}
	return coded{codeNotNotebook, fmt.Sprintf("%s is a %s, not a notebook: %s", quoted(p), kind, use)}
}

// notebookPaths are the paths at which a notebook of that name may be, beside another one first. argument is what the
// name was given as.
func notebookPaths(argument, name, beside string) ([]string, error) {
	clean, err := jupyter.CleanPath(name)
	if err != nil {
		return nil, coded{codePath, fmt.Sprintf("%s: %v", argument, err)}
	}
	last := path.Base("/" + clean)
	if strings.HasSuffix(name, "/") || strings.TrimSpace(strings.TrimSuffix(last, notebookExt)) == "" || last == "/" {
		return nil, coded{codePath, fmt.Sprintf("%s %s names no notebook: give a name such as \"analysis\", or a path such as \"work/analysis.ipynb\"", argument, quoted(name))}
	}
	if path.Ext(last) != notebookExt {
		clean += notebookExt
	}
	if dir := path.Dir(beside); dir != "." && !strings.Contains(name, "/") {
		return []string{path.Join(dir, clean), clean}, nil
	}
	return []string{clean}, nil
}

// fileOf finds what is at a path that a call names for a session of its client. An error has its code.
func (d *deps) fileOf(ctx context.Context, id, p string) (jupyter.Content, error) {
	if _, err := d.analysis(ctx, id); err != nil {
		return jupyter.Content{}, err
	}
	clean, err := jupyter.CleanPath(p)
	if err != nil {
		return jupyter.Content{}, coded{codePath, "path: " + err.Error()}
	}
	c, err := d.manager.Server().Contents(ctx, clean, jupyter.ContentsOptions{})
	if errors.Is(err, jupyter.ErrNotFound) {
		err = coded{codeFile, fmt.Sprintf("there is nothing at %s on the Jupyter server: paths are relative to its root folder; file_list shows what there is", quoted(clean))}
	}
	return c, err
}

// fileNotFolder is fileOf for a path that has to be a file's or a notebook's.
func (d *deps) fileNotFolder(ctx context.Context, id, p string) (jupyter.Content, error) {
	c, err := d.fileOf(ctx, id, p)
	if err == nil && c.Type == "directory" {
		err = coded{codeIsFolder, fmt.Sprintf("%s is a folder: file_list lists what is in it", quoted("/"+c.Path))}
	}
	return c, err
}

// openCell opens the notebook that a call names, and finds the cell that it names there. The caller releases the document.
func (d *deps) openCell(ctx context.Context, n notebookName, c cellName) (*session.Document, ydoc.Cell, error) {
	doc, err := n.open(ctx, d)
	if err != nil {
		return nil, ydoc.Cell{}, err
	}
	cell, err := c.find(doc)
	if err != nil {
		doc.Release()
		return nil, ydoc.Cell{}, err
	}
	return doc, cell, nil
}
