package chatwatch_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Each client is in the chat by its own name, and Duet once beside them; a mention of one is for that one only.
func TestChatAppearances(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		o := start(t)
		ada := o.person("ada", "Ada")
		o.enters("1", "claude-code")
		o.enters("2", "cursor-vscode")
		o.enters("3", "")
		ada.sees("nbduet Duet, nbduet-claude Claude, nbduet-cursor Cursor")
		for _, u := range ada.Users() {
			test.False(t, u.Bot)
			test.True(t, u.Agent())
			test.Eq(t, u.Username == presence.Everybody, u.AvatarURL == nil)
		}
		for _, c := range []struct {
			body      string
			usernames []string
			to        []string
			says      string
		}{
			{"@Cursor the axis", []string{"nbduet-cursor"}, []string{"2"}, "the axis"},
			{"@Duet the axis", []string{presence.Everybody}, nil, "the axis"},
			{"@Claude one\n@Cursor two", []string{"nbduet-cursor", "nbduet-claude"}, []string{"1", "2"}, "one\n@Cursor two"},
			{"@claude, please", nil, []string{"1"}, "please"}, // a tab that does not know the name
			{"@Cursor or @Duet", []string{"nbduet-cursor", presence.Everybody}, nil, "or @Duet"},
			{"you!", []string{"nbduet-claude"}, []string{"1"}, "you!"},
		} {
			ada.says(c.body, c.usernames...)
			client := "3"
			if len(c.to) > 0 {
				client = c.to[0]
				time.Sleep(200 * time.Millisecond)
				if m, ok := o.Leases.Take(t.Context(), mentions.Asks{Client: "3"}); ok {
					t.Errorf("%q: another takes %+v", c.body, m)
				}
			}
			m := o.takes(client)
			slices.Sort(m.To)
			test.SliceEqOp(t, c.to, m.To)
			test.Eq(t, c.says, m.Says)
			test.False(t, m.Who.Agent)
			o.Mentions.Answered(m.ID)
		}
		ada.says("@Codex of another process", "nbduet-codex")
		o.none("1")
		id, err := o.chat.Send(t.Context(), o.chats.User("1"), chat.Outgoing{Body: "Because."})
		must.NoError(t, err)
		sessiontest.Eventually(t, "the answer is Claude's", func() bool {
			m, ok := ada.Message(id)
			return ok && m.Sender.Username == "nbduet-claude" && m.Sender.DisplayName == "Claude" && m.Sender.Name == "Claude (AI)"
		})
	})
}

// Another process has the same users, and messages of its clients are an agent's, even after those have left.
func TestChatOfTwoProcesses(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := start(t)
		ada := o.person("ada", "Ada")
		o.enters("1", "claude-code")
		other := startOn(t, o.s, o.path.String(), session.Config{})
		other.enters("a", "claude-code")
		other.enters("b", "cursor")
		ada.sees("nbduet Duet, nbduet-claude Claude, nbduet-cursor Cursor")
		ada.says("@Cursor the axis", "nbduet-cursor")
		if m := other.takes("b"); !slices.Equal(m.To, []string{"b"}) {
			t.Errorf("%+v", m)
		}
		o.none("1")
		_, err := other.chat.Send(t.Context(), other.chats.User("b"), chat.Outgoing{Body: "@Claude over to you", Mentions: []string{"nbduet-claude"}})
		must.NoError(t, err)
		time.Sleep(time.Second)
		o.person("nbduet-zed", "Zed").says("@Claude, too")
		time.Sleep(time.Second)
		if m, ok := o.Leases.Take(t.Context(), mentions.Asks{Client: "1"}); ok {
			t.Errorf("an agent is heard: %+v", m)
		}
		for range 2 {
			m, ok := o.Leases.Take(t.Context(), mentions.Asks{Client: "1", Agents: true})
			must.True(t, ok)
			test.True(t, m.Who.Agent)
			test.StrHasPrefix(t, "nbduet-", m.Who.Username)
		}
		time.Sleep(time.Minute)
		if n := len(ada.Messages()); n != 3 {
			t.Errorf("an agent was told that nobody listens: %d messages", n)
		}
	})
}

// A client's new name shows in the chat, too, under the same username; a person's name there stays the person's.
func TestChatRename(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := start(t)
		ada := o.person("ada", "Ada")
		o.enters("1", "")
		ada.sees("nbduet Duet")
		o.Manager.Presence.Said("1", presence.Self{Name: "claude-code"})
		ada.sees("nbduet Duet, nbduet-claude Claude")
		claude := o.person("claude-7", "Claude")
		claude.says("hello")
		claude.sees("nbduet Duet, nbduet-claude Claude (AI)")
		ada.says("@Claude coffee?")
		ada.says("@Claude the axis", "claude-7")
		o.none("1")
		ada.says("@Claude-(AI) the axis", "nbduet-claude")
		m := o.takes("1")
		test.SliceEqOp(t, []string{"1"}, m.To)
		test.Eq(t, "the axis", m.Says)
		o.Forget("1")
		time.Sleep(time.Minute)
		o.enters("2", "claude-code")
		claude.sees("ada Ada, nbduet Duet, nbduet-claude Claude (AI)")
	})
}

// Duet answers that no client listens, for a mention of any agent.
func TestChatNobodyListens(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := start(t)
		ada := o.person("ada", "Ada")
		o.enters("1", "claude-code")
		ada.says("@Claude one", "nbduet-claude")
		time.Sleep(time.Minute)
		ada.says("@Duet two", presence.Everybody)
		time.Sleep(time.Minute)
		var told []string
		for _, m := range ada.Messages() {
			if m.Sender.Username != "ada" {
				told = append(told, m.Sender.Username+": "+m.Body)
			}
		}
		must.SliceLen(t, 1, told, must.Sprint("told"))
		test.StrHasPrefix(t, "nbduet: I am not listening", told[0], test.Sprint("told"))
	})
}
