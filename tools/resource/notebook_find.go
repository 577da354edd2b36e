package resource

import (
	"context"
	"path"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// findNotebook finds an open notebook that the client of ctx may read at a session's address.
func (d *Provider) findNotebook(ctx context.Context, u notebookURI) (deps.OwnedNotebook, error) {
	missing := noResource(u.uri, msgNotebook, "this session has no open notebook at that address: it belongs to another session, or was closed, by request or when idle; "+target.URIList+" lists the open notebooks, and reading a notebook by its path opens it")
	if u.form == formExport || u.form == formFile {
		return d.findExport(ctx, u, missing)
	}
	client := tool.ClientOf(ctx)
	for _, doc := range d.Manager.Notebooks() {
		if doc.FileID() != u.notebook {
			continue
		}
		v, visited := d.Opened.Of(client, u.notebook)
		if u.session == render.ImageOwner(ctx) && visited && v.ByPath {
			return deps.OwnedNotebook{Session: u.session, Doc: doc, Last: v.Last}, nil
		}
		if a, err := d.Analyses.Get(client, u.session); err == nil && a.NotebookPath() == doc.Path() {
			return deps.OwnedNotebook{Session: u.session, Doc: doc, Last: v.Last}, nil
		}
	}
	return deps.OwnedNotebook{}, missing
}

// findExport finds the notebook that the address of an export means: by its path, by its file name if that is unique, or
// without a name if the session has only one notebook.
func (d *Provider) findExport(ctx context.Context, u notebookURI, missing error) (deps.OwnedNotebook, error) {
	var mine, named []deps.OwnedNotebook
	for _, o := range d.OwnedNotebooks(ctx) {
		if o.Session != u.session {
			continue
		}
		mine = append(mine, o)
		name := target.ExportName(o.Doc.Path())
		if name == u.file {
			return o, nil
		}
		if path.Base(name) == u.file {
			named = append(named, o)
		}
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return deps.OwnedNotebook{}, noResource(u.uri, msgNotebook, "several notebooks of this session have that name: give the folders, too")
	case u.form == formFile && u.file == "":
		return exportOfCell(mine, u, missing)
	case u.file == deps.AliasExport && len(mine) == 1:
		return mine[0], nil
	}
	return deps.OwnedNotebook{}, missing
}

// exportOfCell finds the notebook, among those of one session, that has a cell with that file name.
func exportOfCell(mine []deps.OwnedNotebook, u notebookURI, missing error) (deps.OwnedNotebook, error) {
	having := lo.Filter(mine, func(o deps.OwnedNotebook, _ int) bool { _, ok := cellOfFile(o.Doc.Notebook(), u.cell); return ok })
	switch {
	case len(having) == 1:
		return having[0], nil
	case len(having) > 1:
		return deps.OwnedNotebook{}, noResource(u.uri, msgCell, "several notebooks of this session have such a cell: give the notebook, too, as in "+target.ExportScheme+"{session-id}/{file}/cells/{cell-id}.py")
	case len(mine) > 0:
		return deps.OwnedNotebook{}, noResource(u.uri, msgCell, "no notebook of this session has such a cell")
	}
	return deps.OwnedNotebook{}, missing
}
