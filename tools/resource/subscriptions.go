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
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// Clients are notified of changes: by notifications/resources/updated for their subscriptions, and by
// notifications/resources/list_changed when their notebooks are opened and closed. mcp-go cannot send either to only the
// affected clients, so the streams to clients are managed here.
//
// A subscription opens nothing. The notebook must be open, as for reading, and stays open while a client is subscribed to it
// or to a part of it. If it is closed nevertheless, its subscribers are notified of a change, and again when the client has
// reopened it.

const (
	// updateEvery is the minimum time between two notifications of one kind to one client: four per second.
	updateEvery = 250 * time.Millisecond
	// retryEvery is the time before the next attempt to notify a client whose stream is full.
	retryEvery = 2 * time.Second
	// maxSubscriptions bounds the subscriptions of one stream.
	maxSubscriptions = 1000
)

// A notifier notifies clients of changes.
type notifier struct {
	d    *Provider
	wake chan struct{}

	noted struct {
		sync.Mutex
		happened
		tools map[string]bool // clients whose lists of tools have changed
	}

	mu      sync.Mutex
	feeds   map[any]*feed // by the session, or the listening request
	live    []Live
	refused sync.Map // refused subscribe requests, with their errors
}

// happened has the events since the last round of notifications.
type happened struct {
	changes map[*session.Document]*change
	runs    map[*run.Run]bool
	closed  map[*session.Document]bool
	callers map[string]bool // clients that have called tools
	list    bool            // notebooks were opened, closed or moved
	live    bool            // one of the live resources has changed
}

// nothing returns an empty happened.
func nothing() happened {
	return happened{changes: map[*session.Document]*change{}, runs: map[*run.Run]bool{}, closed: map[*session.Document]bool{}, callers: map[string]bool{}}
}

// A feed is a stream of notifications to one client.
type feed struct {
	ctx     context.Context // names the client
	client  string
	session server.ClientSession
	id      any // of the listening request, nil in the older protocol
	lists   throttle
	tools   throttle // for changes of the client's list of tools
	news    throttle
	told    map[string]bool // the current news that the client has received
	subs    map[string]*subscription
	known   string // the list that the client was last notified of
	current string // the current notebook that the client was last notified of
}

// A subscription is to one resource.
type subscription struct {
	at       notebookURI
	held     *session.Document // pinned; nil while it is not open
	throttle throttle
	state    string // of a live resource, when the client was last notified
}

// A throttle lets through at most one notification in updateEvery, and always the last one.
type throttle struct {
	on    bool // whether the client wants notifications
	due   bool
	after time.Time // the earliest time for the next
}

// ready reports whether to send a notification now, and if not, how long to wait, 0 if none is due.
func (p *throttle) ready(now time.Time) (send bool, wait time.Duration) {
	if !p.on || !p.due {
		return false, 0
	}
	if wait = p.after.Sub(now); wait > 0 {
		return false, wait
	}
	return true, 0
}

// sent records that a notification was sent, or could not be.
func (p *throttle) sent(now time.Time, ok bool) {
	p.due, p.after = !ok, now.Add(updateEvery)
	if !ok {
		p.after = now.Add(retryEvery)
	}
}

// startNotifier makes a notifier and starts it in a goroutine of the manager.
func startNotifier(hooks *server.Hooks, d *Provider) *notifier {
	l := &notifier{d: d, wake: make(chan struct{}, 1), feeds: map[any]*feed{}}
	l.noted.happened, l.noted.tools = nothing(), map[string]bool{}
	if d.Manager != nil {
		if stop := d.Manager.Observe(l.note); !d.Manager.Go(func(ctx context.Context) { l.run(ctx); stop() }) {
			stop()
		}
	}
	l.hook(hooks)
	return l
}

// run sends due notifications until ctx ends.
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

// send sends due notifications, and returns the time until the next one is due.
func (l *notifier) send(now time.Time) time.Duration {
	next := time.Hour
	for _, s := range l.feeds {
		try := func(p *throttle, deliver func() bool) {
			send, wait := p.ready(now)
			if send {
				p.sent(now, deliver())
				_, wait = p.ready(now)
			}
			if wait > 0 {
				next = min(next, wait)
			}
		}
		try(&s.lists, func() bool { return s.deliver(mcp.MethodNotificationResourcesListChanged, nil) })
		try(&s.tools, func() bool { return s.deliver(mcp.MethodNotificationToolsListChanged, nil) })
		try(&s.news, func() bool { return l.tellNews(s) })
		for uri, sub := range s.subs {
			try(&sub.throttle, func() bool { return s.deliver(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri}) })
		}
	}
	return next
}

// tellNews sends a client the news that it has not received, and reports whether its stream took all. l.mu is held.
func (l *notifier) tellNews(s *feed) bool {
	told := map[string]bool{}
	for _, r := range l.live {
		for _, n := range r.News(s.client) {
			if !s.told[n.ID] && !s.deliver("notifications/"+Channel, map[string]any{"content": n.Text, "meta": n.Meta}) {
				return false
			}
			told[n.ID] = true
		}
	}
	s.told = told
	return true
}

// deliver puts a notification on the client's stream. It returns false if the stream is full.
func (s *feed) deliver(method string, params map[string]any) bool {
	n := tool.Notification(method, params)
	if s.id != nil {
		// The stream lasts until the client ends it, so mcp-go's queue loses nothing and keeps the order.
		n.Params.Meta = map[string]any{mcp.MetaKeySubscriptionID: s.id}
	} else if to := tool.NotifiersIn(s.ctx).Session; to != nil {
		return to.Notify(n)
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
	if s := l.feeds[key]; s != nil {
		for _, sub := range s.subs {
			sub.release()
		}
	}
	delete(l.feeds, key)
}

// leave ends the streams of a client that has left.
func (l *notifier) leave(client string) {
	if l == nil {
		return // no notifications are sent
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
		return noResource(uri, "Too many subscriptions", "a client can have "+textfmt.Thousands(maxSubscriptions)+": end some")
	}
	sub := &subscription{throttle: throttle{on: true, after: time.Now()}}
	if s.id != nil { // the acknowledgement, which is sent at once, must come first
		sub.throttle.after = sub.throttle.after.Add(updateEvery)
	}
	if strings.HasPrefix(uri, target.NotebookScheme) || strings.HasPrefix(uri, target.ExportScheme) {
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
				return noResource(uri, msgFormat+sub.at.cell, notebookForms)
			}
			sub.hold(o.Doc)
		}
	} else if r, ok := l.liveAt(uri); ok {
		sub.state = r.State(s.client)
	} else if !strings.HasPrefix(uri, target.JupyterScheme) && !strings.HasPrefix(uri, "context://") {
		return noResource(uri, msgUnknown+uri, "no resource has such an address: resources/templates/list lists the address templates")
	}
	s.subs[uri] = sub
	return nil
}

// inNotebook reports whether the subscription is to a notebook or to a part of one.
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

// A Live is a resource that is not about notebooks and changes without a call. Each client may see different content.
type Live struct {
	URI, Name, Description string
	// Read returns the content for the client of ctx, to be written as JSON.
	Read func(ctx context.Context) any
	// State identifies the current content for a client.
	State func(client string) string
	// Observe makes f be called after each change of the content for any client, until stop is called. f returns at once,
	// and must not call back.
	Observe func(f func()) (stop func())
	// News returns the notifications for a client that accepts them; see [Channel].
	News func(client string) []News
}

// News is one notification, sent once.
type News struct {
	ID, Text string
	Meta     map[string]string // names of letters, digits and underscores
}

// Channel is the experimental capability of servers and clients by which a server can put a message before the running
// model, without a request. It is Claude Code's: https://code.claude.com/docs/en/channels-reference. Clients without the
// capability drop these notifications.
const Channel = "claude/channel"

// newsAfter is the delay of news: a client that waits for it in a call receives it there first.
const newsAfter = time.Second

// takesNews reports whether a client has a channel, by its capabilities or its name.
func takesNews(ctx context.Context) bool {
	c, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return false
	}
	_, says := c.GetClientCapabilities().Experimental[Channel]
	return says || c.GetClientInfo().Name == "claude-code"
}
