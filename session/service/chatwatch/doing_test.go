package chatwatch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// does makes a client do something continuous, until end is called.
func (o *ours) does(client, text string) (end func()) {
	clients, place := o.Manager.Presence.Clients(), new(byte)
	d := presence.Doing{Status: awareness.Status{Text: text, Cell: "c1", Since: time.Now().UnixMilli()}, Goes: true}
	clients.Does(client, place, d)
	return func() { clients.Does(client, place, presence.Doing{}) }
}

// called makes a person mention a client, which takes the mention.
func (o *ours) called(p *person, client string) (done func()) {
	o.t.Helper()
	p.says("@Duet "+client, presence.Everybody)
	m := o.takes(client)
	o.chats.Acknowledge(client, m)
	return func() { o.chats.Done(m) }
}

// A chat shows that a mention was heard, and then its client's activity in notebooks, until it is answered.
func TestChatShowsWhatIsDone(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		o := start(t)
		ada, in := o.person("ada", "Ada"), o.indicator()
		o.enters("1", "claude-code")
		done := o.called(ada, "1")
		in.shows("Claude has heard you")
		doc, err := o.Open(o.as("1"), o.path)
		must.NoError(t, err)
		defer doc.Release()
		in.shows("Claude is reading")
		must.NoError(t, doc.Edit(o.as("1"), "edit", func(e *ydoc.Editor) error { return e.SetSource("c1", "y = 3") }))
		in.shows("Claude is editing")
		in.shows("Claude has heard you")
		end := o.does("1", "running cell 4")
		in.shows("Claude is running cell 4")
		end()
		end = o.does("1", presence.Waiting) // for the answer to a question
		in.shows("Claude is waiting for you")
		end()
		in.shows("Claude has heard you")
		end = o.Manager.Presence.Waiting("1", doc) // for a mention
		in.shows("")
		end()
		in.shows("Claude has heard you")
		end = o.chats.Listens("1")
		in.shows("")
		end()
		in.shows("Claude has heard you")
		done()
		in.shows("")
	})
}

// The display lasts two minutes from the client's last activity, and while an activity continues; the chat stays open for
// exactly that time.
func TestChatShowsForAWhile(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		first := start(t)
		o := startOn(t, first.s, first.path.String(), session.Config{IdleTimeout: time.Minute})
		ada, in := o.person("ada", "Ada"), o.indicator()
		o.enters("1", "claude-code")
		o.called(ada, "1")
		o.chat.Release()
		in.still("Claude has heard you", 90*time.Second)
		end := o.does("1", "running cell 4")
		in.still("Claude is running cell 4", 10*time.Minute)
		end()
		in.still("Claude has heard you", 110*time.Second)
		end = o.chats.Listens("1") // does not count
		time.Sleep(5 * time.Second)
		end()
		in.still("", 15*time.Second)
		o.does("1", "running cell 5")
		in.still("", 5*time.Second)
		time.Sleep(2 * time.Minute)
		if o.chat.Err() == nil {
			t.Error("the chat is kept")
		}
	})
}

// When a client leaves, its display ends, and the next client that takes the mention is shown.
func TestChatShowsWhoHasIt(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := start(t)
		ada, in := o.person("ada", "Ada"), o.indicator()
		o.enters("1", "claude-code")
		o.enters("2", "cursor")
		o.called(ada, "1")
		in.shows("Claude has heard you")
		o.called(ada, "2")
		in.shows("Claude has heard you, Cursor has heard you")
		o.does("1", "running cell 1")
		o.does("2", "running cell 2")
		in.shows("Claude is running cell 1, Cursor is running cell 2")
		o.Forget("1")
		in.shows("Cursor is running cell 2")
		m := o.takes("2")
		o.chats.Acknowledge("2", m)
		in.shows("Cursor has heard you")
		in.shows("Cursor is running cell 2")
		o.chats.Done(m)
		in.still("Cursor is running cell 2", 5*time.Second)
	})
}

// However fast things change, a chat is sent at most one change a second for all shown clients.
func TestChatShowsSlowly(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := start(t)
		ada, in := o.person("ada", "Ada"), o.indicator()
		for i := range 5 {
			client := fmt.Sprint(i)
			o.enters(client, "claude-code")
			o.called(ada, client)
		}
		_, before := in.now()
		began := time.Now()
		for n := range 200 {
			end := o.does(fmt.Sprint(n%5), fmt.Sprintf("running cell %d", n))
			time.Sleep(50 * time.Millisecond)
			end()
		}
		_, after := in.now()
		most := int(time.Since(began)/time.Second) + 1
		test.LessEq(t, most, after-before)
		test.NotEq(t, before, after)
		in.still("Claude 2 has heard you, Claude 3 has heard you, Claude 4 has heard you, Claude 5 has heard you, Claude has heard you", 2*time.Second)
		_, quiet := in.now()
		time.Sleep(time.Minute)
		if _, now := in.now(); now != quiet {
			t.Errorf("%d changes while nothing is done", now-quiet)
		}
	})
}
