package resource

import (
	"context"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/ydoc"
)

// A change describes the changes in one notebook since the last round of notifications.
type change struct {
	all     bool // something in the notebook has changed
	whole   bool // anything in it may have changed
	cells   map[string]bool
	outputs map[string]bool // cells whose outputs, count or state have changed
}

func (c *change) add(more ydoc.Changes) {
	c.all = true
	c.whole = c.whole || !more.Complete
	for _, cell := range more.Cells {
		c.cells[cell.ID] = true
		if cell.New || cell.Outputs || cell.Run {
			c.outputs[cell.ID] = true
		}
	}
	for _, id := range more.Deleted {
		c.cells[id], c.outputs[id] = true, true
	}
}

// touches reports whether the resource at an address has changed.
func (c *change) touches(at notebookURI, run *run.Run) bool {
	switch {
	case c.whole:
		return true
	case at.form == formCell:
		return c.cells[at.cell]
	case at.form == formFile:
		for id := range c.cells {
			if strings.HasPrefix(at.cell, id+".") {
				return true
			}
		}
		return false
	case at.form == formOutputs:
		return c.outputs[at.cell]
	case at.form == formRun:
		return run != nil && c.outputs[run.CellID]
	}
	return c.all
}

// note records events of documents; see session.Manager.Observe.
func (l *notifier) note(e session.Event) {
	if e.Kind == session.Closed && e.Document.Notebook() != nil {
		l.d.Opened.Close(e.Document.FileID())
	}
	n := &l.noted
	n.Lock()
	defer n.Unlock()
	switch e.Kind {
	case session.Changed:
		c := n.changes[e.Document]
		if c == nil {
			c = &change{cells: map[string]bool{}, outputs: map[string]bool{}}
			n.changes[e.Document] = c
		}
		c.add(e.Changes)
	case session.Ran:
		n.runs[e.Run] = true
	case session.Closed:
		n.closed[e.Document], n.list = true, true
	case session.Opened, session.Moved:
		n.list = true
	}
	l.wakeUp()
}

// called records that a client has called a tool, which may have opened notebooks.
func (l *notifier) called(client string) {
	l.noted.Lock()
	defer l.noted.Unlock()
	l.noted.callers[client] = true
	l.wakeUp()
}

// toolsChanged records that a call, which has not ended yet, has changed its client's list of tools.
func (l *notifier) toolsChanged(client string) {
	l.noted.Lock()
	defer l.noted.Unlock()
	l.noted.tools[client] = true
}

// distribute marks the subscriptions that the recorded events affect. l.mu is held.
func (l *notifier) distribute() {
	n := &l.noted
	n.Lock()
	now := n.happened
	n.happened = nothing()
	tools := map[string]bool{}
	for client := range now.callers { // the call has ended, and its stream is known
		tools[client] = n.tools[client]
		delete(n.tools, client)
	}
	n.Unlock()
	for _, s := range l.feeds {
		if now.list || now.callers[s.client] {
			l.refresh(s)
		}
		s.tools.due = s.tools.due || tools[s.client]
		if now.live {
			l.markLive(s, time.Now())
		}
		for uri, sub := range s.subs {
			l.markDue(s, sub, now)
			if now.callers[s.client] && strings.HasPrefix(uri, ContextScheme+"session") {
				sub.throttle.due = true // the record of activity is shown there
			}
		}
	}
}

// markDue makes a notification due if the resource of a subscription has changed.
func (l *notifier) markDue(s *feed, sub *subscription, now happened) {
	if sub.at.form == formCurrent && len(now.changes) > 0 {
		if o, ok := l.d.CurrentNotebook(s.ctx); ok && now.changes[o.Doc] != nil {
			sub.throttle.due = true
		}
		return
	}
	if sub.held == nil {
		return
	}
	if now.closed[sub.held] {
		sub.release()
		sub.throttle.due = true
		return
	}
	var run *run.Run
	if sub.at.form == formRun {
		run, _ = l.d.Manager.RunTable().Run(sub.at.run)
		if run != nil && now.runs[run] {
			sub.throttle.due = true
		}
	}
	if c := now.changes[sub.held]; c != nil && c.touches(sub.at, run) {
		sub.throttle.due = true
	}
}

// refresh checks whether a client's list of resources has changed, and which notebooks it can read now.
func (l *notifier) refresh(s *feed) {
	known, current := l.listOf(s)
	if known != s.known {
		s.known, s.lists.due = known, true
		if sub := s.subs[target.URIList]; sub != nil {
			sub.throttle.due = true
		}
	}
	if current != s.current {
		s.current = current
		if sub := s.subs[target.URICurrent]; sub != nil {
			sub.throttle.due = true
		}
	}
	for _, sub := range s.subs {
		if !sub.inNotebook() {
			continue
		}
		o, err := l.d.findNotebook(s.ctx, sub.at)
		switch {
		case err != nil && sub.held != nil:
			sub.release() // the client can no longer read it
			sub.throttle.due = true
		case err == nil && sub.held == nil:
			sub.hold(o.Doc)
			sub.throttle.due = true
		}
	}
}

// listOf returns a text that identifies the current list of a client's resources, and the client's current notebook.
func (l *notifier) listOf(s *feed) (list, current string) {
	if l.d.Manager == nil {
		return "", ""
	}
	var b strings.Builder
	for _, o := range l.d.OwnedNotebooks(s.ctx) {
		b.WriteString(target.NotebookAddress(o.Session, o.Doc.FileID(), o.Doc.Path().String()) + "\n")
	}
	if latest, _ := l.d.Images.Store.List(l.d.ImageSessions(s.ctx), 0, 1); len(latest) > 0 {
		b.WriteString(latest[0].URI())
	}
	if o, ok := l.d.CurrentNotebook(s.ctx); ok {
		current = o.Doc.FileID()
	}
	return b.String(), current
}

// follow observes a live resource.
func (l *notifier) follow(r Live) {
	l.mu.Lock()
	l.live = append(l.live, r)
	l.mu.Unlock()
	stop := r.Observe(l.liveChanged)
	if m := l.d.Manager; m == nil || !m.Go(func(ctx context.Context) { <-ctx.Done(); stop() }) {
		stop()
	}
}

// liveChanged records that a live resource has changed.
func (l *notifier) liveChanged() {
	l.noted.Lock()
	defer l.noted.Unlock()
	l.noted.live = true
	l.wakeUp()
}

// liveAt returns the live resource at an address. l.mu is held.
func (l *notifier) liveAt(uri string) (Live, bool) {
	return lo.Find(l.live, func(r Live) bool { return r.URI == uri })
}

// markLive makes notifications of changed live resources due for a client. l.mu is held.
func (l *notifier) markLive(s *feed, now time.Time) {
	for _, r := range l.live {
		sub := s.subs[r.URI]
		if sub == nil {
			continue
		}
		if state := r.State(s.client); state != sub.state {
			sub.state, sub.throttle.due = state, true
		}
	}
	if s.news.on && !s.news.due {
		s.news.due, s.news.after = true, now.Add(newsAfter)
	}
}
