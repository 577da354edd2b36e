package pair_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// A waiting client receives a message that calls it, with its attachments; it is delivered once, the chat shows its receipt,
// and a cell can be attached to the reply.
func TestCalledInChat(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		tb := newTable(t, "x = 1", "y = 2")
		ada := tb.talks("ada", "Ada")
		ada.text("@Duet before anybody waited")
		announced := tb.watched()
		heard := make(chan pair.MentionResult)
		go func() {
			out := pair.MentionResult{MentionView: &pair.MentionView{}}
			tb.Good("wait_for_mention", dict{"timeout": 60}, &out) // finds the chat
			heard <- out
		}()
		sessiontest.Eventually(t, "the agent can be mentioned", func() bool { return len(ada.Users()) == 2 })
		id := ada.says(chatdoc.Outgoing{Body: "why, @Duet?\nsee there", Mentions: []string{"nbduet"}, Attachments: tb.cell("c1")})
		m := <-heard
		test.Eq(t, "Ada", m.By)
		test.Eq(t, "ada", m.Username)
		test.Eq(t, "why, @Duet?\nsee there", m.Text)
		test.Eq(t, tb.chat, m.Path)
		test.Eq(t, id, m.Posted)
		test.Eq(t, "", m.CellID)
		test.StrContains(t, m.Warning, "untrusted")
		must.SliceLen(t, 1, m.Attached)
		test.Eq(t, "y = 2", m.Attached[0].Source)
		test.Eq(t, 1, *m.Attached[0].Index)
		sessiontest.Eventually(t, "it is shown that it was heard", func() bool { return announced(`"typingIndicator":"has heard you"`) })
		tb.Bad("reply", dict{"mention": m.ID, "text": "so", "cells": []string{"none"}}, "cells[0]", "was not found", "Nothing was sent")
		var out pair.ReplyResult
		tb.Good("reply", dict{"mention": m.ID, "text": "Because.", "cells": []string{"c0"}}, &out)
		answer := ada.hears("Because.")
		test.Eq(t, out.Posted, answer.ID)
		test.Eq(t, tb.chat, out.Path)
		test.Eq(t, "nbduet", answer.Sender.Username)
		test.True(t, answer.Sender.Agent())
		test.Eq(t, "Duet", answer.Sender.DisplayName)
		must.SliceLen(t, 1, answer.Attachments)
		test.Eq(t, tb.path, answer.Attachments[0].Path)
		test.Eq(t, "c0", answer.Attachments[0].Cells[0].ID)
		sessiontest.Eventually(t, "that is shown no longer", func() bool { return !announced("has heard you") })
		if again := tb.asked(dict{"timeout": 1}); again.ID != "" {
			t.Errorf("again: %+v", again.MentionView)
		}
		var list pair.MentionList
		if tb.Good("list_mentions", dict{}, &list); len(list.Mentions) != 0 {
			t.Errorf("unanswered: %+v", list)
		}
		ada.text("@Duet, thanks\n- one\n- two")
		holds(t, tb.asks("wait_for_mention", dict{"path": tb.chat}), "by Ada", "in "+tb.chat, "thanks\n- one\n- two", "untrusted")
	})
}

// Each client is in the chat under its name, and is called only by it; the chat shows its activity until it replies.
func TestClientsInChat(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		tb := newTable(t, "import time\ntime.sleep(5)")
		ada, announced := tb.talks("ada", "Ada"), tb.watched()
		claude, cursor := tb.named("claude-code"), tb.named("cursor-vscode")
		claude.joins()
		cursor.joins()
		sessiontest.Eventually(t, "each can be mentioned, and all", func() bool { return len(ada.Users()) == 3 })
		ada.says(chatdoc.Outgoing{Body: "@Cursor run it", Mentions: []string{"nbduet-cursor"}})
		if m := claude.asked(dict{"timeout": 1}); m.ID != "" {
			t.Errorf("Claude is called: %+v", m.MentionView)
		}
		m := cursor.asked(dict{"timeout": 60})
		test.Eq(t, "run it", m.Text)
		test.Eq(t, "Ada", m.By)
		sessiontest.Eventually(t, "it is shown that it was heard", func() bool { return announced(`"typingIndicator":"has heard you"`) })
		cursor.Good("execute_nb_cells", dict{"path": tb.path, "ranges": []dict{{"start": 0}}, "timeout": 1}, nil)
		sessiontest.Eventually(t, "it is shown that it runs", func() bool { return announced(`"typingIndicator":"is running cell 1"`) })
		cursor.Good("reply", dict{"mention": m.ID, "text": "It runs."}, nil)
		answer := ada.hears("It runs.")
		test.Eq(t, "nbduet-cursor", answer.Sender.Username)
		test.Eq(t, "Cursor", answer.Sender.DisplayName)
		test.NotNil(t, answer.Sender.AvatarURL)
		sessiontest.Eventually(t, "that is shown no longer", func() bool { return !announced("typingIndicator") })
	})
}

// The text of a message when it is taken counts; a message deleted before that does not call a client, and neither does
// quoted text or a name that only begins like the client's.
func TestChatMessagesChange(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada := tb.talks("ada", "Ada")
		tb.joins()
		change := func(id, body string) {
			t.Helper()
			if err := ada.SetBody(id, body, true); err != nil {
				t.Fatal(err)
			}
			ada.settles()
		}
		ada.text("> @Duet quoted\n`@Duet` and @Duettino")
		first, second, third := ada.text("@Duet one"), ada.text("@Duet two"), ada.text("three")
		change(first, "@Duet the first")
		change(second, "nothing")
		m := tb.asked(dict{"timeout": 20})
		test.Eq(t, "the first", m.Text)
		test.False(t, m.Edited)
		if more := tb.asked(dict{"timeout": 1}); more.ID != "" {
			t.Errorf("%+v", more.MentionView)
		}
		change(first, "@Duet the very first")
		var list pair.MentionList
		tb.Good("list_mentions", dict{}, &list)
		must.SliceLen(t, 1, list.Mentions)
		test.Eq(t, "the very first", list.Mentions[0].Text)
		test.True(t, list.Mentions[0].Edited)
		test.Eq(t, first, list.Mentions[0].Posted)
		change(third, "@Duet three")
		if m := tb.asked(dict{"timeout": 20}); m.Text != "three" {
			t.Errorf("%+v", m.MentionView)
		}
	})
}

// Many messages at once become a bounded number of mentions; the last says how many came with it.
func TestManyChatMessages(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada := tb.talks("ada", "Ada")
		tb.joins()
		for i := range 1_000 {
			if _, err := ada.Append(ada.As, chatdoc.Outgoing{Body: fmt.Sprintf("@Duet %d", i)}); err != nil {
				t.Fatal(err)
			}
		}
		ada.settles()
		time.Sleep(10 * time.Second)
		var list pair.MentionList
		tb.Good("list_mentions", dict{}, &list)
		must.SliceLen(t, 20, list.Mentions)
		test.Eq(t, 980, list.Mentions[19].More)
	})
}

// If no client takes a mention, the chat says so once; messages by agents count only on request, and are not reported.
func TestNobodyListening(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada, robot := tb.talks("ada", "Ada"), tb.talks("robot", "Robot (AI)")
		tb.joins()
		robot.text("@Duet do it")
		time.Sleep(40 * time.Second)
		if n := ada.count("I am not listening"); n != 0 {
			t.Errorf("told an agent %d times", n)
		}
		ada.text("@Duet one")
		time.Sleep(20 * time.Second)
		if n := ada.count("I am not listening"); n != 0 {
			t.Errorf("told too early")
		}
		ada.text("@Duet two")
		time.Sleep(2 * time.Minute)
		if n := ada.count("I am not listening now; this waits until I am asked."); n != 1 {
			t.Errorf("told %d times", n)
		}
		for _, want := range []string{"one", "two", ""} {
			if m := tb.asked(dict{"timeout": 1}); m.MentionView.Text != want {
				t.Errorf("%q, want %q", m.Text, want)
			}
		}
		m := tb.asked(dict{"timeout": 1, "agents": true})
		test.Eq(t, "do it", m.Text)
		test.True(t, m.Agent)
		test.Eq(t, "Robot (AI)", m.By)
	})
}

// A call that waits in a chat is answered when the chat is deleted; one that waits anywhere continues.
func TestDeletedChat(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada := tb.talks("ada", "Ada")
		tb.joins()
		ada.text("@Duet one")
		m := tb.asked(dict{"timeout": 1})
		anywhere := make(chan string)
		go func() { anywhere <- tb.asks("wait_for_mention", dict{"timeout": 60}) }()
		go func() {
			time.Sleep(5 * time.Second)
			if err := os.Remove(tb.file(tb.chat)); err != nil {
				t.Error(err)
			}
		}()
		began := time.Now()
		tb.Bad("wait_for_mention", dict{"path": tb.chat}, "the chat "+tb.chat+" was deleted", "wait without path")
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("told after %v", took)
		}
		holds(t, <-anywhere, "you were not called within 60 s")
		tb.Bad("reply", dict{"mention": m.ID, "text": "x"}, "no chat", "was deleted")
		tb.Bad("wait_for_mention", dict{"path": tb.chat}, "no chat")
	})
}

// Without the extension a call cannot wait in a chat, and answers do not mention chats unless the call names one.
func TestNoChatExtension(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "x = 1")
		path := strings.TrimSuffix(d.path, ".ipynb") + ".chat"
		d.Server.Write(t, path, "{}")
		d.Read(d.path)
		for range 2 {
			d.Bad("wait_for_mention", dict{"path": path}, "jupyterlab-chat", "pip install")
			holds(t, d.asks("wait_for_mention", dict{"timeout": 10}), "you were not called within 10 s")
		}
	})
}

// If a person has our name, it means the person; the username means us.
func TestPersonCalledDuet(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada, duet := tb.talks("ada", "Ada"), tb.talks("duet-7", "Duet")
		duet.text("hello")
		tb.joins()
		ada.text("@Duet coffee?")
		ada.says(chatdoc.Outgoing{Body: "@Duet the axis", Mentions: []string{"nbduet"}})
		ada.text("@nbduet and the title")
		for _, want := range []string{"the axis", "and the title", ""} {
			if m := tb.asked(dict{"timeout": 2}); m.MentionView.Text != want {
				t.Errorf("%q, want %q", m.Text, want)
			}
		}
	})
}

// "Hands off" in the chat applies to the attached cell, else to the notebook beside it; if two people say it, each lifts
// only their own.
func TestHandsOffInChat(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		tb := newTable(t, "x = 1", "y = 2")
		ada, bob := tb.talks("ada", "Ada"), tb.talks("bob", "Bob")
		tb.enters("ada", "Ada").shows(nil)
		tb.enters("bob", "Bob").shows(nil)
		tb.joins()
		edit := func(cell string) dict {
			return dict{"path": tb.path, "cell_id": cell, "old_text": "=", "new_text": "= "}
		}
		ada.says(chatdoc.Outgoing{Body: "@Duet hands off", Attachments: tb.cell("c1")})
		ada.hears("Hands off cell 2 of " + tb.path + " until you say “@Duet go on”.")
		tb.Bad("edit_text", edit("c1"), "hands_off", "Ada")
		tb.Good("edit_text", edit("c0"), nil)
		bob.text("@Duet hands off this notebook")
		bob.hears("Hands off " + tb.path + " until")
		tb.Bad("edit_text", edit("c0"), "hands_off", "Bob")
		ada.text("@Duet go on")
		ada.hears("Going on with " + tb.path + ". Still held: the notebook by Bob.")
		tb.Bad("edit_text", edit("c1"), "hands_off", "Bob")
		bob.text("@Duet go on")
		sessiontest.Eventually(t, "all is lifted", func() bool { return bob.count("Going on with") == 2 })
		tb.Good("edit_text", edit("c1"), nil)
		if m := tb.asked(dict{"timeout": 1}); m.ID != "" {
			t.Errorf("reported %q", m.Text)
		}
		bob.text("@Duet go on") // no cell is protected: the agent is addressed
		if m := tb.asked(dict{"timeout": 20}); m.Text != "go on" {
			t.Errorf("%+v", m.MentionView)
		}
	})
}

// Without a notebook beside the chat, "hands off" means the only one that people have in front, or, before that is known,
// the only open one; if there are several, the chat asks which.
func TestHandsOffWhich(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		tb.chat = "team.chat"
		tb.Server.Write(t, tb.chat, "{}")
		ada := tb.talks("ada", "Ada")
		tb.joins()
		ada.text("@Duet hands off")
		ada.hears("Hands off " + tb.path)
		ada.text("@Duet go on")
		ada.hears("Going on with " + tb.path)
		tb.Read(tb.Server.Notebook(t, "y = 2"))
		ada.text("@Duet hands off")
		ada.hears("Which notebook?")
		ada.text("@Duet go on") // no cell is protected: the agent is addressed
		if m := tb.asked(dict{"timeout": 1}); m.Text != "go on" {
			t.Errorf("%+v", m.MentionView)
		}
		tb.inLobby("ada", "Ada", "notebook:"+tb.path)
		time.Sleep(time.Second)
		ada.text("@Duet hands off, please") // a message to the agent, not a command
		if m := tb.asked(dict{"timeout": 1}); m.Text != "hands off, please" {
			t.Errorf("%+v", m.MentionView)
		}
		ada.text("@Duet hands off")
		sessiontest.Eventually(t, "it is obeyed", func() bool { return ada.count("Hands off "+tb.path) == 2 })
		tb.Bad("edit_text", dict{"path": tb.path, "cell_id": "c0", "old_text": "1", "new_text": "2"}, "hands_off", "Ada")
		tb.talks("robot", "Robot (AI)").text("@Duet go on")
		tb.Bad("edit_text", dict{"path": tb.path, "cell_id": "c0", "old_text": "1", "new_text": "2"}, "hands_off", "Ada")
		ada.text("@Duet go on")
		sessiontest.Eventually(t, "it is obeyed", func() bool { return ada.count("Going on with "+tb.path) == 2 })
		tb.Good("edit_text", dict{"path": tb.path, "cell_id": "c0", "old_text": "1", "new_text": "2"}, nil)
	})
}

// The receipt of a mention disappears by itself; a read-only client shows none and cannot be called.
func TestReceivedForAWhile(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada, announced := tb.talks("ada", "Ada"), tb.watched()
		tb.agent(tools.Config{ReadOnly: true})
		holds(t, tb.asks("wait_for_mention", dict{"path": tb.chat, "timeout": 0}), "you were not called")
		if n := len(ada.Users()); n != 0 {
			t.Errorf("%d users are known", n)
		}
		ada.text("@Duet one")
		time.Sleep(10 * time.Minute) // the chat is left
		n, open := ada.count(""), tb.Work.Chats.Chats()
		test.Eq(t, 1, n)
		test.SliceEmpty(t, open)
		if m := tb.asked(dict{"timeout": 1}); m.Text != "one" {
			t.Errorf("%+v", m.MentionView)
		}
		settle()
		if !announced("has heard you") {
			t.Error("it is not shown")
		}
		time.Sleep(3 * time.Minute)
		if announced("has heard you") {
			t.Error("it is shown for too long")
		}
	})
}

// Two agents of two processes that call each other do not continue forever: each receives the other's messages only if it
// asks for agents.
func TestAgentsCallEachOther(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada := tb.talks("ada", "Ada")
		tb.joins()
		ada.text("@Duet one")
		m := tb.asked(dict{"timeout": 1})
		other := &table{duoOf(t, toolstest.NewOn(t, tb.Server), "y"), tb.chat}
		other.joins()
		tb.Good("reply", dict{"mention": m.ID, "text": "@Duet over to you"}, nil)
		if theirs := other.asked(dict{"timeout": 60}); theirs.ID != "" {
			t.Errorf("%+v", theirs.MentionView)
		}
		theirs := other.asked(dict{"timeout": 1, "agents": true})
		test.Eq(t, "over to you", theirs.Text)
		test.True(t, theirs.Agent)
		if mine := tb.asked(dict{"timeout": 60, "agents": true}); mine.ID != "" {
			t.Errorf("%+v", mine.MentionView)
		}
		if n := ada.count(""); n != 2 {
			t.Errorf("%d messages", n)
		}
	})
}

// A mention is delivered once, even if the connection was lost and the server was restarted.
func TestChatLostAndBack(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, "x = 1")
		ada := tb.talks("ada", "Ada")
		tb.joins()
		ada.text("@Duet one")
		time.Sleep(3 * time.Second) // saved, and given the server's time
		tb.Server.Fake.Rooms.Drop(tb.chat)
		ada.settles()
		ada.text("@Duet two")
		time.Sleep(5 * time.Second)
		tb.Server.Fake.Restart(false)
		time.Sleep(time.Minute)
		tb.talks("bob", "Bob").text("@Duet three")
		for _, want := range []string{"one", "two", "three", ""} {
			if m := tb.asked(dict{"timeout": 5}); m.MentionView.Text != want {
				t.Errorf("%q, want %q", m.Text, want)
			}
		}
	})
}
