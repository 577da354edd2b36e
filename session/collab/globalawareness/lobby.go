package globalawareness

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Lobby is the part of rtc.Lobby that a Keeper needs.
type Lobby interface {
	Show(visitors ...rtc.Visitor)
	Peers() []rtc.Peer
	Since() time.Time
	Leave(ctx context.Context)
}

// Keeper shows our clients in the server's global awareness while a document is open.
type Keeper struct {
	enter func() Lobby

	mu      sync.Mutex
	in      Lobby
	docs    map[string]bool
	clients map[string]*visitor // by username
}

// visitor is one of our clients.
type visitor struct {
	user    awareness.User
	current string
	docs    map[string]bool
}

// New returns a keeper that enters a lobby by calling enter.
func New(enter func() Lobby) *Keeper {
	return &Keeper{enter: enter, docs: map[string]bool{}, clients: map[string]*visitor{}}
}

// Opened notes that a document is open, and enters the lobby if it is the first.
func (k *Keeper) Opened(path jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.docs[path.String()] = true
	if k.in == nil {
		k.in = k.enter()
		k.show()
	}
}

// Came shows that a client is in a document, which becomes its current one, or has another name there.
func (k *Keeper) Came(u awareness.User, path jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.clients[u.Username]
	if v == nil {
		v = &visitor{docs: map[string]bool{}}
		k.clients[u.Username] = v
	}
	v.user = u
	if !v.docs[path.String()] {
		v.docs[path.String()], v.current = true, path.String()
	}
	k.show()
}

// Left shows that a client is no longer in a document.
func (k *Keeper) Left(username string, path jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left(username, path.String())
	k.show()
}

func (k *Keeper) left(username, path string) {
	v := k.clients[username]
	if v == nil {
		return
	}
	delete(v.docs, path)
	if v.current == path {
		v.current = ""
		if rest := slices.Sorted(maps.Keys(v.docs)); len(rest) > 0 {
			v.current = rest[0]
		}
	}
	if len(v.docs) == 0 {
		delete(k.clients, username)
	}
}

// show sends all clients to the lobby.
func (k *Keeper) show() {
	if k.in == nil {
		return
	}
	var all []rtc.Visitor
	for _, username := range slices.Sorted(maps.Keys(k.clients)) {
		v := k.clients[username]
		all = append(all, rtc.Visitor{User: v.user, Current: v.current, Documents: slices.Sorted(maps.Keys(v.docs))})
	}
	k.in.Show(all...)
}

// Moved shows that an open document has another path.
func (k *Keeper) Moved(from, to jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.docs, from.String())
	k.docs[to.String()] = true
	for _, v := range k.clients {
		if v.docs[from.String()] {
			delete(v.docs, from.String())
			v.docs[to.String()], v.current = true, to.String()
		}
	}
	k.show()
}

// Others returns the other clients in the lobby, and since when they are received: zero while they are not, or while no
// document is open.
func (k *Keeper) Others() (peers []rtc.Peer, since time.Time) {
	k.mu.Lock()
	in := k.in
	k.mu.Unlock()
	if in == nil {
		return nil, time.Time{}
	}
	return in.Peers(), in.Since()
}

// Closed shows that a document is no longer open, and removes all clients from it. After the last document it leaves the
// lobby, which the context bounds.
func (k *Keeper) Closed(ctx context.Context, path jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.docs, path.String())
	for username := range k.clients {
		k.left(username, path.String())
	}
	if k.in == nil {
		return
	}
	if len(k.docs) > 0 {
		k.show()
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
