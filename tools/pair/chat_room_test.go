package pair_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// Our participants in a chat's room are also users of the chat. People's tabs offer both for mentions, and of two with one
// name the one in the room.
func TestOneDuetInAChat(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada := tb.talks("ada", "Ada")
		tb.joins()
		sessiontest.Eventually(t, "the agent is in the room", func() bool { return len(ada.Room.Peers()) == 1 })
		us := ada.Room.Peers()[0].User
		// It is present before it has added itself to the users.
		sessiontest.Eventually(t, "the agent is a user of the chat", func() bool {
			return slices.ContainsFunc(ada.Users(), func(u chatdoc.User) bool { return u.Username == us.Username && u.DisplayName == us.DisplayName })
		})
		if !(chatdoc.User{User: us}).Agent() {
			t.Errorf("%+v looks like a person", us)
		}
	})
}

// A chat that a person opens while an agent waits is soon joined, wherever it is: earlier messages are not delivered.
func TestChatOpenedWhileWaiting(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		const soon = 3 * time.Second
		tb := newTable(t, "x = 1")
		heard := make(chan pair.MentionResult)
		go func() {
			out := pair.MentionResult{MentionView: &pair.MentionView{}}
			tb.Good("wait_for_mention", dict{"timeout": 60}, &out)
			heard <- out
		}()
		time.Sleep(soon)
		tb.chat = tb.Server.Write(t, "else/where.chat", "{}")
		ada := tb.talks("ada", "Ada")
		tb.inLobby("ada", "Ada", "chat:"+tb.chat)
		time.Sleep(soon)
		ada.text("@Duet hello")
		m := <-heard
		test.NotEq(t, "", m.ID)
		test.Eq(t, "hello", m.Text)
		test.Eq(t, tb.chat, m.Path)
	})
}
