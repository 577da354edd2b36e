package lobby

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Lobby is what a Keeper needs of rtc.Lobby.
type Lobby interface {
	Show(current string, docs []string)
	Peers() []rtc.Peer
	Since() time.Time
	Leave(ctx context.Context)
}

// Keeper keeps the agent in the server's global awareness while a document is open.
type Keeper struct {
	enter func() Lobby

	mu   sync.Mutex
	in   Lobby
	docs map[string]bool
}

// New makes a keeper that enters a lobby by calling enter.
func New(enter func() Lobby) *Keeper {
	return &Keeper{enter: enter, docs: make(map[string]bool)}
}

// Opened shows that a document is open, as the current one.
func (k *Keeper) Opened(path jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.docs[path.String()] = true
	if k.in == nil {
		k.in = k.enter()
	}
	k.in.Show(path.String(), slices.Sorted(maps.Keys(k.docs)))
}

// Moved shows that an open document has another path.
func (k *Keeper) Moved(from, to jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.docs, from.String())
	k.docs[to.String()] = true
	if k.in != nil {
		k.in.Show(to.String(), slices.Sorted(maps.Keys(k.docs)))
	}
}

// Others are those in the lobby beside us, and since when they are heard: zero while they are not, or no document is open.
func (k *Keeper) Others() (peers []rtc.Peer, since time.Time) {
	k.mu.Lock()
	in := k.in
	k.mu.Unlock()
	if in == nil {
		return nil, time.Time{}
	}
	return in.Peers(), in.Since()
}

// Closed shows that a document is no longer open; after the last one it leaves the lobby, which the
// context bounds.
func (k *Keeper) Closed(ctx context.Context, path jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.docs, path.String())
	if k.in == nil {
		return
	}
	rest := slices.Sorted(maps.Keys(k.docs))
	if len(rest) > 0 {
		k.in.Show(rest[0], rest)
		return
	}
	in := k.in
	k.in = nil
	in.Leave(ctx)
}

// Close leaves the lobby.
func (k *Keeper) Close(ctx context.Context) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in != nil {
		k.in.Leave(ctx)
		k.in = nil
	}
}
