package desk

import (
	"context"
	"math"
	"sync"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
)

const (
	visitors   = 1000 // clients that are remembered
	visitsKept = 500  // notebooks of one client's
	// AliasExport names the notebook of a session that has only one.
	AliasExport = "notebook"
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
	ByPath bool   // it was named by its path, not by a session only
	Last   uint64 // counts up
}

// Note notes that the client of ctx works in a notebook.
func (v *visits) Note(ctx context.Context, doc *session.Document, byPath bool) {
	client, id := tool.ClientOf(ctx), doc.FileID()
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
	mine[id] = visit{ByPath: byPath || mine[id].ByPath, Last: v.next}
	if len(mine) > visitsKept {
		delete(mine, OldestOf(mine, func(at visit) uint64 { return at.Last }))
	}
	if len(v.clients) > visitors {
		delete(v.clients, OldestOf(v.clients, func(all map[string]visit) (last uint64) {
			for _, at := range all {
				last = max(last, at.Last)
			}
			return last
		}))
	}
}

// OldestOf is the key of what was used longest ago.
func OldestOf[V any](all map[string]V, last func(V) uint64) (oldest string) {
	least := uint64(math.MaxUint64)
	for key, v := range all {
		if at := last(v); at < least {
			oldest, least = key, at
		}
	}
	return oldest
}

// Of gives a client's visit of a notebook.
func (v *visits) Of(client, fileID string) (visit, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one, ok := v.clients[client][fileID]
	return one, ok
}

// Close forgets a notebook that was closed.
func (v *visits) Close(fileID string) {
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
