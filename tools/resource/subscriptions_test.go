package resource

import (
	"context"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/deps"
)

// The first notification is sent at once, the next after a quarter of a second, and the last one always.
func TestThrottle(t *testing.T) {
	now := time.Unix(1000, 0)
	p := throttle{on: true}
	if send, wait := p.ready(now); send || wait != 0 {
		t.Errorf("without a change: %v %v", send, wait)
	}
	sent := 0
	for range 1000 { // a change each millisecond
		p.due = true
		if send, _ := p.ready(now); send {
			sent++
			p.sent(now, true)
		}
		now = now.Add(time.Millisecond)
	}
	if sent != 4 {
		t.Errorf("%d notifications in a second", sent)
	}
	p.due = true
	_, wait := p.ready(now.Add(-100 * time.Millisecond))
	test.Greater(t, 0, wait)
	test.LessEq(t, updateEvery, wait)
	if send, _ := p.ready(now.Add(updateEvery)); !send {
		t.Error("the last one is not sent")
	}
	p.sent(now, false)
	send, wait := p.ready(now)
	test.False(t, send, test.Sprint("one that was not taken"))
	test.Eq(t, retryEvery, wait, test.Sprint("one that was not taken"))
	p.on = false
	send, wait = p.ready(now.Add(time.Hour))
	test.False(t, send, test.Sprint("where nobody wants them"))
	test.Eq(t, 0, wait, test.Sprint("where nobody wants them"))
}

// A client that has not taken its notifications is notified later, and does not delay others.
func TestSlowSubscriber(t *testing.T) {
	d := &Provider{Deps: &deps.Deps{}}
	l := &notifier{d: d, wake: make(chan struct{}, 1), feeds: map[any]*feed{}}
	session := server.NewInProcessSession("slow", nil)
	ctx := server.NewMCPServer("x", "1").WithContext(context.Background(), session)
	s := l.open(ctx, session, nil)
	s.subs["x"] = &subscription{throttle: throttle{on: true}}
	now := time.Unix(1000, 0)
	for range 150 { // more than fit in its queue
		s.subs["x"].throttle.due = true
		l.send(now)
		now = now.Add(updateEvery)
	}
	if !s.subs["x"].throttle.due {
		t.Error("a notification that was not taken is forgotten")
	}
	for len(session.ClientNotifications()) > 0 {
		<-session.ClientNotifications()
	}
	next := l.send(now.Add(retryEvery))
	test.False(t, s.subs["x"].throttle.due)
	must.Eq(t, 1, len(session.ClientNotifications()))
	test.Eq(t, time.Hour, next)
	if l.leave("another"); len(l.feeds) != 1 {
		t.Error("it is gone with another client")
	}
	if l.leave("slow"); len(l.feeds) != 0 {
		t.Error("its feed is there after it has left")
	}
}
