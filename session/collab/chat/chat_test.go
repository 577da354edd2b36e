package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

var (
	duet = awareness.User{Username: "nbduet", DisplayName: "Duet", Initials: "D", Color: "#888"}
	ann  = awareness.User{Username: "ann", Name: "Ann", DisplayName: "Ann"}
)

// kept holds the chats of a keeper, and their events.
type kept struct {
	*chat.Keeper

	mu   sync.Mutex
	told map[*chat.Chat][]string
}

// keeper returns a keeper of chats that is closed at the end of the test.
func keeper(t *testing.T, s *jupytertest.Server) *kept {
	t.Helper()
	k := &kept{told: map[*chat.Chat][]string{}}
	k.Keeper = chat.New(chat.Config{Server: sessiontest.Server(t, s), User: duet, Heard: func(c *chat.Chat, e chat.Event) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.told[c] = append(k.told[c], fmt.Sprintf("%d %s", e.Kind, e.Message.Body))
	}})
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		k.Close(ctx)
	})
	return k
}

// opened is an open chat with its events.
type opened struct {
	*chat.Chat
	k *kept
	t *testing.T
}

func open(t *testing.T, k *kept, path string) *opened {
	t.Helper()
	c, err := k.Open(t.Context(), jupyter.MustPath(path))
	must.NoError(t, err)
	return &opened{Chat: c, k: k, t: t}
}

// hears waits for exactly these events.
func (o *opened) hears(want ...string) {
	o.t.Helper()
	var got []string
	for range 1_000 {
		o.k.mu.Lock()
		got = slices.Clone(o.k.told[o.Chat])
		o.k.mu.Unlock()
		if slices.Equal(got, want) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	o.t.Fatalf("heard %q, want %q", got, want)
}

// person is Ann in a chat's room.
type person struct{ *sessiontest.Talker }

func enters(t *testing.T, s *jupytertest.Server, path string) person {
	t.Helper()
	return person{sessiontest.Talks(t, s, jupyter.MustPath(path), ann)}
}

func (p person) says(t *testing.T, body string) string {
	t.Helper()
	return p.Says(chatdoc.Outgoing{Body: body})
}

// Each message is reported once, and not again when the server sets its time. Our own and earlier messages are not reported.
// Sent messages arrive, and are in the file.
func TestChat(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithChat(t))
		path := s.Write(t, s.Name(t, ".chat"), "{}")
		p := enters(t, s, path)
		p.says(t, "old")
		time.Sleep(3 * time.Second) // saved: from now on the server sets times
		c := open(t, keeper(t, s), path)
		must.NoError(t, c.Enter(t.Context(), duet))
		id := p.says(t, "@Duet hello")
		c.hears("0 @Duet hello")
		must.NoError(t, p.SetBody(id, "@Duet, hello", true))
		c.hears("0 @Duet hello", "1 @Duet, hello")
		mine, err := c.Send(t.Context(), duet, chat.Outgoing{Body: "hi", Attachments: []chat.Attachment{
			{Type: "notebook", Path: "a.ipynb", Cells: []chat.Cell{{ID: "c0", Type: "code"}}},
		}})
		must.NoError(t, err)
		sessiontest.Eventually(t, "Ann sees the answer, at the server's time", func() bool {
			m, ok := p.Message(mine)
			return ok && m.Body == "hi" && !m.Edited && !m.RawTime && m.Sender.Name == "Duet (AI)" && !m.Sender.Bot && len(m.Attachments) == 1
		})
		sessiontest.Eventually(t, "the file has it", func() bool { return strings.Contains(s.Read(t, path), `"hi"`) })
		c.hears("0 @Duet hello", "1 @Duet, hello")
		var file struct{ Users map[string]map[string]any }
		must.NoError(t, json.Unmarshal([]byte(s.Read(t, path)), &file))
		u := file.Users["nbduet"]
		test.EqOp[any](t, false, u["bot"], test.Sprint("the user in the file"))
		test.EqOp[any](t, "Duet", u["display_name"], test.Sprint("the user in the file"))
		test.EqOp[any](t, "Duet", u["mention_name"], test.Sprint("the user in the file"))
		test.MapLen(t, 8, u, test.Sprint("the user in the file"))
		c.Release()
	})
}

// A lost chat reports the messages that came in the meantime, once, whether its room is the same or another.
func TestLostChat(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithChat(t))
		path := s.Write(t, s.Name(t, ".chat"), "{}")
		p := enters(t, s, path)
		c := open(t, keeper(t, s), path)
		must.NoError(t, c.Enter(t.Context(), duet))
		p.says(t, "one")
		c.hears("0 one")
		s.Fake.Rooms.Drop(path)
		must.NoError(t, p.Room.WaitSynced(t.Context()))
		p.says(t, "two")
		c.hears("0 one", "0 two")
		time.Sleep(3 * time.Second) // saved
		s.Fake.Restart(false)
		q := enters(t, s, path)
		q.says(t, "three")
		c.hears("0 one", "0 two", "0 three")
		if len(c.Users()) != 2 {
			t.Errorf("the users are %v", c.Users())
		}
	})
}

// Without a chat, nothing is written, and the error gives the reason.
func TestNoChat(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		for _, content := range []string{"{}", ""} {
			path := s.Write(t, s.Name(t, ".chat"), content)
			k := keeper(t, s)
			for range 2 {
				if _, err := k.Open(t.Context(), jupyter.MustPath(path)); !errors.Is(err, chat.ErrNoChat) {
					t.Errorf("open %q: %v", content, err)
				}
			}
			if got := s.Read(t, path); got != content {
				t.Errorf("the file is %q, was %q", got, content)
			}
		}
		k := keeper(t, s)
		for name, want := range map[string]error{"none.chat": jupyter.ErrNotFound, s.Write(t, "a.txt", "x"): chat.ErrNotChat, s.Write(t, "b.chat", "{broken"): chat.ErrNotChat} {
			if _, err := k.Open(t.Context(), jupyter.MustPath(name)); !errors.Is(err, want) {
				t.Errorf("open %s: %v", name, err)
			}
		}
	})
}

// A chat ends when its file is deleted, or it has been unused for a while; it follows the file to another place.
func TestChatEnds(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithChat(t))
		k := keeper(t, s)
		ends := func(c *opened, want error) {
			t.Helper()
			select {
			case <-c.Done():
				if !errors.Is(c.Err(), want) {
					t.Errorf("ended with %v, want %v", c.Err(), want)
				}
			case <-time.After(5 * time.Minute):
				t.Errorf("does not end")
			}
		}
		gone := open(t, k, s.Write(t, "gone.chat", "{}"))
		moves := open(t, k, s.Write(t, "moves.chat", "{}"))
		must.NoError(t, os.Remove(filepath.Join(s.Root, "gone.chat")))
		_, err := sessiontest.Server(t, s).Contents.Rename(t.Context(), jupyter.MustPath("moves.chat"), jupyter.MustPath("moved.chat"))
		must.NoError(t, err)
		ends(gone, chat.ErrGone)
		if got := moves.Path().String(); got != "moved.chat" {
			t.Errorf("the path is %s", got)
		}
		again, err := k.Open(t.Context(), jupyter.MustPath("moved.chat"))
		must.NoError(t, err)
		if again != moves.Chat {
			t.Error("the chat was opened twice")
		}
		moves.Release()
		time.Sleep(5 * time.Minute)
		if moves.Err() != nil {
			t.Error("a chat that is used was left")
		}
		again.Release()
		ends(moves, chat.ErrClosed)
		if len(k.Chats()) != 0 {
			t.Error("a chat is left over")
		}
	})
}

// A chat whose file takes the path of another open chat ends with its keeper, too.
func TestChatMovesOntoAnother(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithChat(t))
		k := keeper(t, s)
		moves, stays := open(t, k, s.Write(t, "moves.chat", "{}")), open(t, k, s.Write(t, "stays.chat", "{}"))
		must.NoError(t, os.Remove(filepath.Join(s.Root, "stays.chat")))
		_, err := sessiontest.Server(t, s).Contents.Rename(t.Context(), moves.Path(), stays.Path())
		must.NoError(t, err)
		sessiontest.Eventually(t, "the path is followed", func() bool { return moves.Path() == stays.Path() })
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		k.Close(ctx)
		test.ErrorIs(t, moves.Err(), chat.ErrClosed)
		test.ErrorIs(t, stays.Err(), chat.ErrClosed)
	})
}

// Of 10,000 messages at once, the last are reported.
func TestManyMessages(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithChat(t))
		messages := make([]map[string]any, 10_000)
		for i := range messages {
			messages[i] = map[string]any{"id": fmt.Sprint(i), "body": "old", "type": "msg", "sender": "ann", "time": i, "raw_time": false}
		}
		b, err := json.Marshal(map[string]any{"messages": messages})
		must.NoError(t, err)
		path := s.Write(t, "many.chat", string(b))
		c := open(t, keeper(t, s), path)
		enters(t, s, path).says(t, "new")
		c.hears("0 new")
		if n := len(c.Messages()); n != chatdoc.Window {
			t.Errorf("%d messages are read", n)
		}
	})
}

func TestFind(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		for _, name := range []string{"d/b.chat", "d/nb.chat", "d/nb.ipynb", "other.chat"} {
			s.Write(t, name, "{}")
		}
		got := keeper(t, s).Find(t.Context(), []jupyter.Path{jupyter.MustPath("d/nb.ipynb"), jupyter.MustPath("none/x.ipynb")}, []rtc.Peer{
			{Current: "chat:tab.chat", Documents: []string{"d/nb.ipynb", "side.chat", "tab.chat"}}, {Current: "chat:agent.chat", Agent: true},
		})
		if fmt.Sprint(got) != "[tab.chat side.chat d/nb.chat d/b.chat]" {
			t.Errorf("found %v", got)
		}
	})
}
