package resource

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

// Clients hear of changes: notifications/resources/updated of what they have subscribed to, and
// notifications/resources/list_changed when notebooks of theirs are opened and closed. mcp-go passes neither on to those
// that it concerns, so the streams to clients are kept here.
//
// A subscription opens nothing. The notebook has to be open, as it has to be to be read, and stays open as long as
// somebody is subscribed to it or to something in it. Where it is closed all the same, its subscribers hear that it has
// changed, and once more when the client has opened it again.

const (
	// updateEvery is the shortest time between two notifications of one kind to one client: four in a second.
	updateEvery = 250 * time.Millisecond
	// retryEvery is when one is sent again to a client that has not taken so many.
	retryEvery = 2 * time.Second
	// maxSubscriptions bounds those of one stream.
	maxSubscriptions = 1000
)

// notifier tells clients what changes.
type notifier struct {
	d    *Provider
	wake chan struct{}

	// What has happened since it was last looked at.
	noted struct {
		sync.Mutex
		changes map[*session.Document]*change
		runs    map[*run.Run]bool
		closed  map[*session.Document]bool
		callers map[string]bool // clients that have called tools
		list    bool            // notebooks were opened, closed or moved
	}

	mu      sync.Mutex
	feeds   map[any]*feed // by the session, or the request that listens
	refused sync.Map      // requests to subscribe that are refused, with their errors
}

// A feed is a way to one client.
type feed struct {
	ctx     context.Context // who the client is
	client  string
	session server.ClientSession
	id      any // of the request that listens, nil in the older protocol
	lists   throttle
	subs    map[string]*subscription
	known   string // the list, as the client was last told of it
	current string // the current notebook likewise
}

// A subscription is to one resource.
type subscription struct {
	at       notebookURI
	held     *session.Document // pinned; nil while it is not open
	throttle throttle
}

// A throttle sends at most one notification in updateEvery, and the last one always.
type throttle struct {
	on    bool // whether there is anybody who wants them
	due   bool
	after time.Time // the earliest time for the next
}

// ready tells whether one is to be sent now, and else how long from now, 0 for never.
func (p *throttle) ready(now time.Time) (send bool, wait time.Duration) {
	if !p.on || !p.due {
		return false, 0
	}
	if wait = p.after.Sub(now); wait > 0 {
		return false, wait
	}
	return true, 0
}

// sent notes whether it could be sent.
func (p *throttle) sent(now time.Time, ok bool) {
	p.due, p.after = !ok, now.Add(updateEvery)
	if !ok {
		p.after = now.Add(retryEvery)
	}
}

// startNotifier sets it to work, at the manager's expense.
func startNotifier(hooks *server.Hooks, d *Provider) *notifier {
	l := &notifier{d: d, wake: make(chan struct{}, 1), feeds: map[any]*feed{}}
	if d.Manager != nil {
		stop := d.Manager.Observe(l.note)
		if !d.Manager.Go(func(ctx context.Context) { l.run(ctx); stop() }) {
			stop()
		}
	}
	l.hook(hooks)
	return l
}

// run sends what is due until ctx ends.
func (l *notifier) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			l.mu.Lock()
			defer l.mu.Unlock()
			for key := range l.feeds {
				l.drop(key)
			}
			return
		case <-l.wake:
		case <-timer.C:
		}
		l.mu.Lock()
		l.distribute()
		next := l.send(time.Now())
		l.mu.Unlock()
		timer.Reset(next)
	}
}

func (l *notifier) wakeUp() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// send sends what is due, and says when there is something to be sent again.
func (l *notifier) send(now time.Time) time.Duration {
	next := time.Hour
	for _, s := range l.feeds {
		try := func(p *throttle, method string, params map[string]any) {
			send, wait := p.ready(now)
			if send {
				p.sent(now, s.deliver(method, params))
				_, wait = p.ready(now)
			}
			if wait > 0 {
				next = min(next, wait)
			}
		}
		try(&s.lists, mcp.MethodNotificationResourcesListChanged, nil)
		for uri, sub := range s.subs {
			try(&sub.throttle, mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
		}
	}
	return next
}

// deliver puts a notification on the client's stream; false where that is full.
func (s *feed) deliver(method string, params map[string]any) bool {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	n.Method, n.Params.AdditionalFields = method, params
	if s.id != nil {
		n.Params.Meta = map[string]any{mcp.MetaKeySubscriptionID: s.id}
	}
	if upgrade, ok := s.session.(server.SessionWithStreamableHTTPConfig); ok {
		upgrade.UpgradeToSSEWhenReceiveNotification()
	}
	select {
	case s.session.NotificationChannel() <- n:
		return true
	default:
		return false
	}
}

// open begins a stream. l.mu is held.
func (l *notifier) open(ctx context.Context, key any, id any) *feed {
	ctx = context.WithoutCancel(ctx)
	s := &feed{ctx: ctx, client: tool.ClientOf(ctx), session: server.ClientSessionFromContext(ctx), id: id, subs: map[string]*subscription{}}
	s.known, s.current = l.listOf(s)
	l.feeds[key] = s
	return s
}

// drop ends a stream. l.mu is held.
func (l *notifier) drop(key any) {
	s := l.feeds[key]
	delete(l.feeds, key)
	if s != nil {
		for _, sub := range s.subs {
			sub.release()
		}
	}
}

// leave ends the feeds of a client that has left.
func (l *notifier) leave(client string) {
	if l == nil {
		return // nobody is told of anything
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, f := range l.feeds {
		if f.client == client {
			l.drop(key)
		}
	}
}

// subscribe adds a subscription to a stream. l.mu is held.
func (l *notifier) subscribe(s *feed, uri string) error {
	if s.subs[uri] != nil {
		return nil
	}
	if len(s.subs) >= maxSubscriptions {
		return noResource(uri, "Too many subscriptions", "there are "+tool.Thousands(maxSubscriptions)+" already: end some")
	}
	sub := &subscription{throttle: throttle{on: true, after: time.Now()}}
	if s.id != nil { // nothing may come before the acknowledgement, which is sent at once
		sub.throttle.after = sub.throttle.after.Add(updateEvery)
	}
	if strings.HasPrefix(uri, desk.NotebookScheme) || strings.HasPrefix(uri, desk.ExportScheme) {
		var err error
		if sub.at, err = parseNotebookURI(uri); err != nil {
			return err
		}
		if sub.inNotebook() {
			o, err := l.d.findNotebook(s.ctx, sub.at)
			switch {
			case err != nil:
				return err
			case sub.at.form == "":
				return noResource(uri, msgFormat+sub.at.cell, "there is no such form of a notebook")
			}
			sub.hold(o.Doc)
		}
	} else if !strings.HasPrefix(uri, desk.JupyterScheme) && !strings.HasPrefix(uri, "context://") {
		return noResource(uri, msgUnknown+uri, "nothing is known at an address like this one")
	}
	s.subs[uri] = sub
	return nil
}

// inNotebook tells whether the subscription is to a notebook or to something in one.
func (sub *subscription) inNotebook() bool {
	return !slices.Contains([]string{formList, formCurrent, formTemplate}, sub.at.form) && sub.at.session != ""
}

func (sub *subscription) hold(doc *session.Document) {
	if sub.held == nil && doc.Hold() {
		sub.held = doc
	}
}

func (sub *subscription) release() {
	if sub.held != nil {
		sub.held.Release()
		sub.held = nil
	}
}
