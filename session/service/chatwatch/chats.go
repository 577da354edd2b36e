package chatwatch

import (
	"context"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
)

// Chats are the chats of a manager's server. Create them with [New].
type Chats struct {
	*chat.Keeper
	m       *session.Manager
	clients *presence.Clients
	ctx     context.Context // ends with the manager
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	latest   *simplelru.LRU[string, *received] // the latest messages, by id; Get is not used, so that the oldest is dropped first
	watching map[*chat.Chat]bool
	attended map[*chat.Chat]*attended
}

// received is a message that was read.
type received struct {
	chat      *chat.Chat
	mention   string // its id, "" if it is not a mention
	command   mentions.Command
	announced bool // that no client listens, or need not be told
}

// maxLatest is how many messages are remembered, to interpret later edits of them.
const maxLatest = 5_000

// New returns the chats of a manager, which closes them.
func New(m *session.Manager) *Chats {
	cs := &Chats{
		m: m, clients: m.Presence.Clients(), watching: map[*chat.Chat]bool{}, attended: map[*chat.Chat]*attended{},
	}
	cs.latest = lo.Must(simplelru.NewLRU(maxLatest, func(id string, h *received) { cs.dismiss(h.chat, id) }))
	cfg := session.ChatConfig(m)
	cfg.Heard = cs.hear
	cs.Keeper = chat.New(cfg)
	cs.ctx, cs.cancel = context.WithCancel(context.Background())
	m.Leases.In(cs.place)
	m.Observe(func(e session.Event) {
		if e.Kind == session.Suspected {
			cs.mu.Lock()
			defer cs.mu.Unlock()
			cs.start(func() { cs.warn(e.Document.Path(), e.Says) })
		}
	})
	m.OnClose(func(ctx context.Context) error {
		cs.mu.Lock()
		cs.closed = true
		cs.mu.Unlock()
		cs.cancel()
		cs.wg.Wait()
		cs.Close(ctx)
		return nil
	})
	return cs
}

// start runs f in a goroutine, unless the manager has closed. The caller holds mu.
func (cs *Chats) start(f func()) {
	if !cs.closed {
		cs.wg.Go(f)
	}
}

// Of returns the chat of a mention's message, nil if it is unknown.
func (cs *Chats) Of(m mentions.Mention) *chat.Chat {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if h, ok := cs.latest.Peek(m.Message); ok {
		return h.chat
	}
	return nil
}
