package tools

import (
	"context"
	"math"
	"path"
	"sync"

	"github.com/nbduet/nbduet/session"
)

const (
	visitors   = 1000 // clients that are remembered
	visitsKept = 500  // notebooks of one client's
	// aliasExport names the notebook of a session that has only one.
	aliasExport = "notebook"
)

// visits remember which notebooks each client has worked in, until they are closed: those are the ones that it may read
// as resources. The zero value is ready for use, by several goroutines at once.
type visits struct {
	mu      sync.Mutex
	next    uint64
	clients map[string]map[string]visit // by client, and the notebooks' file ids
}

// A visit is a client's work in a notebook.
type visit struct {
	byPath bool   // it was named by its path, not by a session only
	last   uint64 // counts up
}

// note notes that the client of ctx works in a notebook.
func (v *visits) note(ctx context.Context, doc *session.Document, byPath bool) {
	client, id := clientOf(ctx), doc.FileID()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.clients == nil {
		v.clients = map[string]map[string]visit{}
	}
	mine := v.clients[client]
	if mine == nil {
		mine = map[string]visit{}
		v.clients[client] = mine
	}
	v.next++
	mine[id] = visit{byPath: byPath || mine[id].byPath, last: v.next}
	if len(mine) > visitsKept {
		delete(mine, oldestOf(mine, func(at visit) uint64 { return at.last }))
	}
	if len(v.clients) > visitors {
		delete(v.clients, oldestOf(v.clients, func(all map[string]visit) (last uint64) {
			for _, at := range all {
				last = max(last, at.last)
			}
			return last
		}))
	}
}

// oldestOf is the key of what was used longest ago.
func oldestOf[V any](all map[string]V, last func(V) uint64) (oldest string) {
	least := uint64(math.MaxUint64)
	for key, v := range all {
		if at := last(v); at < least {
			oldest, least = key, at
		}
	}
	return oldest
}

// of gives a client's visit of a notebook.
func (v *visits) of(client, fileID string) (visit, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one, ok := v.clients[client][fileID]
	return one, ok
}

// close forgets a notebook that was closed.
func (v *visits) close(fileID string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, mine := range v.clients {
		delete(mine, fileID)
	}
}

// forget forgets a client that has left.
func (v *visits) forget(client string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.clients, client)
}

// An ownedNotebook is an open notebook of a client's, under the session that it is to be found at.
type ownedNotebook struct {
	session string // an analysis session's id, or the client's own where it was opened by its path alone
	doc     *session.Document
	last    uint64 // when the client last worked in it
}

// ownedNotebooks lists the notebooks that are open and that the client of ctx may read, by path. It is not a use of them.
func (d *deps) ownedNotebooks(ctx context.Context) []ownedNotebook {
	client := clientOf(ctx)
	analyses := d.manager.Analyses(client)
	var out []ownedNotebook
	for _, doc := range d.manager.Notebooks() {
		v, visited := d.visits.of(client, doc.FileID())
		owned := false
		for _, a := range analyses {
			if a.NotebookPath() == doc.Path() {
				out, owned = append(out, ownedNotebook{a.ID(), doc, v.last}), true
			}
		}
		if visited && v.byPath && !owned {
			out = append(out, ownedNotebook{imageOwner(ctx), doc, v.last})
		}
	}
	return out
}

// findNotebook finds an open notebook that the client of ctx may read at a session's address.
func (d *deps) findNotebook(ctx context.Context, u notebookURI) (ownedNotebook, error) {
	missing := noResource(u.uri, msgNotebook, "no notebook of this session is open here under that address: it is another session's, was closed, or put away after some time without use; "+uriList+" lists those there are, and reading a notebook by its path opens it")
	if u.form == formExport || u.form == formFile {
		return d.findExport(ctx, u, missing)
	}
	client := clientOf(ctx)
	for _, doc := range d.manager.Notebooks() {
		if doc.FileID() != u.notebook {
			continue
		}
		v, visited := d.visits.of(client, u.notebook)
		if u.session == imageOwner(ctx) && visited && v.byPath {
			return ownedNotebook{u.session, doc, v.last}, nil
		}
		if a, err := d.manager.Analysis(client, u.session); err == nil && a.NotebookPath() == doc.Path() {
			return ownedNotebook{u.session, doc, v.last}, nil
		}
	}
	return ownedNotebook{}, missing
}

// findExport finds the notebook that the address of an export means: by its path, by its file's name where that is one
// notebook's only, or by no name where the session has one only.
func (d *deps) findExport(ctx context.Context, u notebookURI, missing error) (ownedNotebook, error) {
	var mine, named []ownedNotebook
	for _, o := range d.ownedNotebooks(ctx) {
		if o.session != u.session {
			continue
		}
		mine = append(mine, o)
		name := exportName(o.doc.Path())
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
		return ownedNotebook{}, noResource(u.uri, msgNotebook, "several notebooks of this session have that name: give the folders as well")
	case u.form == formFile && u.file == "":
		return exportOfCell(mine, u, missing)
	case u.file == aliasExport && len(mine) == 1:
		return mine[0], nil
	}
	return ownedNotebook{}, missing
}

// exportOfCell finds the notebook that has a cell whose file has the name, among those of one session.
func exportOfCell(mine []ownedNotebook, u notebookURI, missing error) (ownedNotebook, error) {
	var having []ownedNotebook
	for _, o := range mine {
		if _, ok := cellOfFile(o.doc.Notebook(), u.cell); ok {
			having = append(having, o)
		}
	}
	switch {
	case len(having) == 1:
		return having[0], nil
	case len(having) > 1:
		return ownedNotebook{}, noResource(u.uri, msgCell, "several notebooks of this session have such a cell: give the notebook as well, as in "+exportScheme+"{session-id}/{file}/cells/{cell-id}.py")
	case len(mine) > 0:
		return ownedNotebook{}, noResource(u.uri, msgCell, "no notebook of this session has such a cell")
	}
	return ownedNotebook{}, missing
}

// currentNotebook is the open notebook that the client of ctx has worked in last.
func (d *deps) currentNotebook(ctx context.Context) (ownedNotebook, bool) {
	var latest ownedNotebook
	for _, o := range d.ownedNotebooks(ctx) {
		if latest.doc == nil || o.last > latest.last {
			latest = o
		}
	}
	return latest, latest.doc != nil
}

// workIn notes that the client of ctx works in an analysis session's notebook.
func (d *deps) workIn(ctx context.Context, a *Analysis) {
	for _, doc := range d.manager.Notebooks() {
		if doc.Path() == a.NotebookPath() {
			d.visits.note(ctx, doc, false)
		}
	}
}
