package deps

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	openedKept = 500 // notebooks of one client
	// AliasExport is the export name of a session's only notebook.
	AliasExport = "notebook"
)

// opened records which notebooks each client has used, by file id, until they are closed: a client may read these as
// resources. The zero value is ready for use and safe for concurrent use.
type opened struct {
	clients PerClient[*lru.Cache[string, openedNotebook]]
	next    uint64 // guarded by the lock of clients
}

// An openedNotebook is a client's use of a notebook.
type openedNotebook struct {
	ByPath bool   // the client named its path, not only a session
	Last   uint64 // order of the last use
	// Read is the revision that the client last read, 0 for none.
	Read ydoc.Revision
}

// with calls do with a client's opened notebooks.
func (v *opened) with(client string, do func(mine *lru.Cache[string, openedNotebook])) {
	v.clients.With(client, func() *lru.Cache[string, openedNotebook] {
		return lo.Must(lru.New[string, openedNotebook](openedKept))
	}, do)
}

// Note records that the client of ctx uses a notebook.
func (v *opened) Note(ctx context.Context, doc *session.Document, byPath bool) {
	target.See(ctx, doc)
	id := doc.FileID()
	v.with(tool.ClientOf(ctx), func(mine *lru.Cache[string, openedNotebook]) {
		was, _ := mine.Peek(id)
		v.next++
		mine.Add(id, openedNotebook{byPath || was.ByPath, v.next, was.Read})
	})
}

// Read records that the client of ctx is shown a notebook as it was at a revision.
func (v *opened) Read(ctx context.Context, doc *session.Document, rev ydoc.Revision) {
	session.Kept{Document: doc}.Look(ctx, rev)
	v.with(tool.ClientOf(ctx), func(mine *lru.Cache[string, openedNotebook]) {
		was, _ := mine.Peek(doc.FileID())
		mine.Add(doc.FileID(), openedNotebook{was.ByPath, was.Last, rev})
	})
}

// Of returns a client's use of a notebook.
func (v *opened) Of(client, fileID string) (one openedNotebook, ok bool) {
	v.with(client, func(mine *lru.Cache[string, openedNotebook]) { one, ok = mine.Peek(fileID) })
	return one, ok
}

// Close drops a closed notebook.
func (v *opened) Close(fileID string) {
	v.clients.Each(func(mine *lru.Cache[string, openedNotebook]) { mine.Remove(fileID) })
}
