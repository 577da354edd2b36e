package chatwatch_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/service/chatwatch"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// ours is a process with a chat open, beside a notebook.
type ours struct {
	*session.Manager
	t     *testing.T
	s     *jupytertest.Server
	chats *chatwatch.Chats
	chat  *chat.Chat
	path  jupyter.Path // the notebook's
}

func start(t *testing.T) *ours {
	t.Helper()
	s := jupytertest.Start(t, jupytertest.WithChat(t))
	path := s.Notebook(t, "x = 1", "y = 2")
	s.Write(t, strings.TrimSuffix(path, ".ipynb")+".chat", "{}")
	return startOn(t, s, path, session.Config{})
}

func startOn(t *testing.T, s *jupytertest.Server, path string, cfg session.Config) *ours {
	t.Helper()
	o := &ours{Manager: sessiontest.Manager(t, s, cfg), t: t, s: s, path: jupyter.MustPath(path)}
	o.chats = chatwatch.New(o.Manager)
	var err error
	o.chat, err = o.chats.Open(t.Context(), jupyter.MustPath(strings.TrimSuffix(path, ".ipynb")+".chat"))
	must.NoError(t, err)
	return o
}

// enters adds a client that says its name, and enters the chat.
func (o *ours) enters(client, name string) {
	o.t.Helper()
	o.Manager.Presence.Said(client, presence.Self{Name: name})
	must.NoError(o.t, o.chats.Enter(o.t.Context(), client, o.chat))
}

// takes waits for a mention, which the client takes.
func (o *ours) takes(client string) (m mentions.Mention) {
	o.t.Helper()
	sessiontest.Eventually(o.t, "a mention for "+client, func() (ok bool) {
		m, ok = o.Leases.Take(o.t.Context(), mentions.Asks{Client: client})
		return ok
	})
	return m
}

// none fails if a mention for a client exists.
func (o *ours) none(client string) {
	o.t.Helper()
	time.Sleep(200 * time.Millisecond)
	if list := o.Mentions.List(mentions.Asks{Client: client, Agents: true}); len(list) > 0 {
		o.t.Errorf("%s is called: %+v", client, list)
	}
}

// as returns the context of a client's call.
func (o *ours) as(client string) context.Context {
	return origin.With(o.t.Context(), origin.Author{Client: client, Call: 1})
}

// person is a person in the chat.
type person struct {
	*sessiontest.Talker
	t *testing.T
}

func (o *ours) person(username, name string) *person {
	o.t.Helper()
	u := awareness.User{Username: username, Name: name, DisplayName: name}
	return &person{sessiontest.Talks(o.t, o.s, o.chat.Path(), u), o.t}
}

// says sends a message with the mentions that the person's tab finds.
func (p *person) says(body string, usernames ...string) (id string) {
	p.t.Helper()
	return p.Says(chatdoc.Outgoing{Body: body, Mentions: usernames})
}

// knows returns the users known in the chat, except one.
func (p *person) knows(without string) string {
	var all []string
	for _, u := range p.Users() {
		if u.Username != without {
			all = append(all, u.Username+" "+u.DisplayName)
		}
	}
	return strings.Join(all, ", ")
}

// sees waits until exactly the wanted users are known.
func (p *person) sees(want string) {
	p.t.Helper()
	for end := time.Now().Add(sessiontest.Timeout); p.knows(p.As.Username) != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("in the chat are %q, want %q", p.knows(p.As.Username), want)
		}
	}
}

// indicator is the display of writing users.
type indicator struct {
	t *testing.T

	mu    sync.Mutex
	texts []string // one after the other
	at    int      // the index of the text that was awaited last
}

func (o *ours) indicator() *indicator {
	o.t.Helper()
	srv := sessiontest.Server(o.t, o.s)
	s, err := srv.Rooms.Session(o.t.Context(), o.chat.Path(), "text", "chat")
	must.NoError(o.t, err)
	ws, err := srv.Rooms.Dial(o.t.Context(), s.RoomID(), s.SessionID)
	must.NoError(o.t, err)
	in, seen := &indicator{t: o.t, texts: []string{""}}, awareness.NewTable(1)
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			_, b, err := ws.ReadMessage()
			if err != nil {
				return
			}
			if f, err := wire.ParseFrame(b, wire.DefaultLimits); err == nil && f.Kind == wire.Awareness {
				_, _ = seen.Apply(f.Payload, time.Now())
				in.see(seen.Peers())
			}
		}
	})
	o.t.Cleanup(func() {
		_ = ws.Close()
		reading.Wait()
	})
	return in
}

func (in *indicator) see(states []awareness.State) {
	var texts []string
	for _, s := range states {
		var state struct {
			Writers []struct {
				User            awareness.User
				TypingIndicator string
			}
		}
		if json.Unmarshal(s.Raw, &state) == nil {
			for _, w := range state.Writers {
				texts = append(texts, w.User.DisplayName+" "+w.TypingIndicator)
			}
		}
	}
	slices.Sort(texts)
	in.mu.Lock()
	defer in.mu.Unlock()
	if now := strings.Join(texts, ", "); now != in.texts[len(in.texts)-1] {
		in.texts = append(in.texts, now)
	}
}

// now returns the present text, and how many changes there were.
func (in *indicator) now() (string, int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.texts[len(in.texts)-1], len(in.texts)
}

// reaches reports whether a text was shown since the text awaited last.
func (in *indicator) reaches(want string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	at := slices.Index(in.texts[in.at:], want)
	in.at += max(at, 0)
	return at >= 0
}

// shows waits until a text is shown, even for a moment.
func (in *indicator) shows(want string) {
	in.t.Helper()
	for end := time.Now().Add(sessiontest.Timeout); ; time.Sleep(20 * time.Millisecond) {
		if in.reaches(want) {
			return
		}
		if now, _ := in.now(); time.Now().After(end) {
			in.t.Fatalf("shown is %q, want %q", now, want)
		}
	}
}

// still fails if another text is shown after a while.
func (in *indicator) still(want string, after time.Duration) {
	in.t.Helper()
	time.Sleep(after)
	if now, _ := in.now(); now != want {
		in.t.Errorf("after %v, shown is %q, want %q", after, now, want)
	}
}
