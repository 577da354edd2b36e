package session

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// caretAt is a caret in a cell's source.
func caretAt(nb *ydoc.Notebook, c ydoc.Cell, offset int) (awareness.Cursor, error) {
	pos, err := nb.RelativePosition(c.ID, min(offset, textdiff.UTF16Len(c.Source)))
	if err != nil {
		return awareness.Cursor{}, err
	}
	return awareness.Cursor{Anchor: pos, Head: pos, Primary: true, Empty: true}, nil
}

// lobby is what the manager needs of rtc.Lobby.
type lobby interface {
	Show(current string, docs []string)
	Leave(ctx context.Context)
}

// lobbyKeeper keeps the agent in the server's global awareness for as long as
// a document is open.
type lobbyKeeper struct {
	enter func() lobby

	mu   sync.Mutex
	in   lobby
	docs map[string]bool
}

func newLobbyKeeper(enter func() lobby) *lobbyKeeper {
	return &lobbyKeeper{enter: enter, docs: make(map[string]bool)}
}

func (k *lobbyKeeper) opened(path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.docs[path] = true
	if k.in == nil {
		k.in = k.enter()
	}
	k.in.Show(path, slices.Sorted(maps.Keys(k.docs)))
}

func (k *lobbyKeeper) moved(from, to string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.docs, from)
	k.docs[to] = true
	if k.in != nil {
		k.in.Show(to, slices.Sorted(maps.Keys(k.docs)))
	}
}

func (k *lobbyKeeper) closed(path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.docs, path)
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
	ctx, stop := context.WithTimeout(context.Background(), leaveTimeout)
	defer stop()
	in.Leave(ctx)
}

func (k *lobbyKeeper) close(ctx context.Context) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in != nil {
		k.in.Leave(ctx)
		k.in = nil
	}
}
