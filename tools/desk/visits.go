package desk

import (
	"context"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
)

const (
	visitsKept = 500 // notebooks of one client's
	// AliasExport names the notebook of a session that has only one.
	AliasExport = "notebook"
)

// visits remember which notebooks each client has worked in, by their file ids, until they are closed: those are the
// ones that it may read as resources. The zero value is ready for use, by several goroutines at once.
type visits struct {
	clients PerClient[*simplelru.LRU[string, visit]]
	next    uint64 // is counted up with the clients locked
}

// A visit is a client's work in a notebook.
type visit struct {
	ByPath bool   // it was named by its path, not by a session only
	Last   uint64 // counts up
}

// with does something with a client's visits.
func (v *visits) with(client string, do func(mine *simplelru.LRU[string, visit])) {
	v.clients.With(client, func() *simplelru.LRU[string, visit] { return newLRU[string, visit](visitsKept) }, do)
}

// Note notes that the client of ctx works in a notebook.
func (v *visits) Note(ctx context.Context, doc *session.Document, byPath bool) {
	id := doc.FileID()
	v.with(tool.ClientOf(ctx), func(mine *simplelru.LRU[string, visit]) {
		was, _ := mine.Peek(id)
		v.next++
		mine.Add(id, visit{ByPath: byPath || was.ByPath, Last: v.next})
	})
}

// Of gives a client's visit of a notebook.
func (v *visits) Of(client, fileID string) (one visit, ok bool) {
	v.with(client, func(mine *simplelru.LRU[string, visit]) { one, ok = mine.Peek(fileID) })
	return one, ok
}

// Close forgets a notebook that was closed.
func (v *visits) Close(fileID string) {
	v.clients.Each(func(mine *simplelru.LRU[string, visit]) { mine.Remove(fileID) })
}
