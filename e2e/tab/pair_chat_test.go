package tab_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// talk is a person in a tab, with a notebook and a chat, and an agent.
type talk struct {
	t      *testing.T
	lab    *lab.Lab
	tab    *person
	chat   *browser.Chat
	claude *agent.Agent
	path   string // of the chat
}

// The name of each talk's notebook.
const talkedOf = "work.ipynb"

// newTalk starts a JupyterLab with chats, opens a notebook with these cells there, and lets an agent read it. There is a
// chat, which is not open.
func newTalk(t *testing.T, chat string, cells ...kit.Cell) *talk {
	t.Helper()
	env, err := lab.Chat()
	must.NoError(t, err)
	l, err := lab.Start(t.Context(), lab.Options{Env: env})
	must.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log of JupyterLab:\n%s", l.LogTail(40))
		}
		if err := l.Stop(); err != nil {
			t.Error(err)
		}
	})
	must.NoError(t, os.WriteFile(l.Path(talkedOf), kit.NotebookText(t, cells), 0o600))
	must.NoError(t, os.MkdirAll(filepath.Dir(l.Path(chat)), 0o700))
	must.NoError(t, os.WriteFile(l.Path(chat), []byte("{}"), 0o600))
	k := &talk{t: t, lab: l, path: chat, tab: openAt(t, l, talkedOf)}
	k.claude = kit.StartAgentAs(t, agent.Options{Client: "claude-code", Env: append(l.ClientEnv(), "JUPYTER_SERVER_URL="+l.URL, "JUPYTER_TOKEN="+l.Token, "NBDUET_SERVER_TIMEOUT=60")})
	kit.ReadCells(t, k.claude, talkedOf)
	return k
}

// calledInChat is the answer of wait_for_mention.
type calledInChat struct {
	Mention, By, Username, Path, Text string
	Posted                            string `json:"message_id"`
	Attached                          []attached

	err error
}

type attached struct {
	Path, Source string
	CellID       string `json:"cell_id"`
}

// waits lets the agent wait for a mention; path may be empty.
func (k *talk) waits(path string) <-chan calledInChat {
	heard := make(chan calledInChat, 1)
	go func() {
		var m calledInChat
		_, m.err = k.claude.Do(k.t.Context(), "wait_for_mention", map[string]any{"path": path, "timeout": 100}, &m)
		heard <- m
	}()
	return heard
}

// inChats is the name by which the person mentions the agent in the chat. faces are the names that may be shown there.
const inChats = "Duet"

var faces = []string{inChats, "Claude"}

// offered waits until the chat offers the agent after the first letters of its name, which stay in the input.
func (k *talk) offered() {
	k.t.Helper()
	begun := "@" + inChats[:2]
	must.NoError(k.t, k.chat.Type(k.t.Context(), begun))
	must.NoError(k.t, poll.Until(k.t.Context(), "the agent to be offered", func(ctx context.Context) error {
		// The offers are found after a key press.
		if err := errors.Join(k.chat.Press(ctx, kb.Backspace), k.chat.Tab.Type(ctx, begun[len(begun)-1:])); err != nil {
			return err
		}
		names, err := k.chat.Offered(ctx)
		if err == nil && !slices.Contains(names, "@"+inChats) {
			err = fmt.Errorf("%q", names)
		}
		return err
	}))
}

// took waits until the agent was mentioned.
func (k *talk) took(heard <-chan calledInChat) calledInChat {
	k.t.Helper()
	select {
	case m := <-heard:
		must.NoError(k.t, m.err)
		if m.Mention == "" {
			k.t.Fatal("nobody has called")
		}
		return m
	case <-k.t.Context().Done():
		k.t.Fatal(k.t.Context().Err())
	}
	return calledInChat{}
}

// shows waits until check accepts the chat's last message and its line about the people who are writing.
func (k *talk) shows(what string, check func(last browser.ChatMessage, writers string) bool) {
	k.t.Helper()
	must.NoError(k.t, poll.Until(k.t.Context(), what, func(ctx context.Context) error {
		all, err := k.chat.Messages(ctx)
		if err != nil {
			return err
		}
		writers, err := k.chat.Writers(ctx)
		if err == nil && (len(all) == 0 || !check(all[len(all)-1], writers)) {
			err = fmt.Errorf("%+v, writers: %q", all, writers)
		}
		return err
	}))
}

// isWorking reports whether the chat shows the agent as working.
func isWorking(writers string) bool {
	return slices.ContainsFunc(faces, func(name string) bool {
		does, ok := strings.CutPrefix(writers, name+" ")
		return ok && does != ""
	})
}

// edit lets the agent change a text in a cell and returns the refusal, if any.
func (k *talk) edit(cell, from, to string) (refused string) {
	k.t.Helper()
	answer, err := k.claude.Call(k.t.Context(), "edit_text", map[string]any{"path": talkedOf, "cell_id": cell, "old_text": from, "new_text": to})
	must.NoError(k.t, err)
	if answer.IsError {
		return answer.Text
	}
	return ""
}

// onFile is a message in the file of a chat.
type onFile struct{ ID, Body, Sender string }

// filed waits until the chat's file has a message that contains a text.
func (k *talk) filed(text string) (m onFile) {
	k.t.Helper()
	must.NoError(k.t, poll.Until(k.t.Context(), "the message in the file", func(context.Context) error {
		var file struct{ Messages []onFile }
		b, err := os.ReadFile(k.lab.Path(k.path))
		if err == nil {
			err = json.Unmarshal(b, &file)
		}
		if err != nil {
			return err
		}
		at := slices.IndexFunc(file.Messages, func(m onFile) bool { return strings.Contains(m.Body, text) })
		if at < 0 {
			return fmt.Errorf("%+v", file.Messages)
		}
		m = file.Messages[at]
		return nil
	}))
	return m
}

// The chat offers a person the agent, and they ask it for something there: they see that the request was received, the
// work, and the answer with the cell. The agent reads their attachments.
func TestCalledInAChat(t *testing.T) {
	ctx := t.Context()
	k := newTalk(t, "talk.chat", kit.Markdown("# Answers"), kit.Code("answer = 42"), kit.Code("other = 1"))
	who := k.tab.name(ctx)
	username, err := k.tab.Username(ctx)
	must.NoError(t, err)
	k.chat, err = k.tab.OpenChat(ctx, k.path)
	must.NoError(t, err)

	// With the menu, from which the agent is chosen.
	heard := k.waits(k.path)
	k.offered()
	k.tab.Shoot("offered")
	must.NoError(t, k.chat.Enter(ctx))
	must.NoError(t, poll.Until(ctx, "the name in the input", func(ctx context.Context) error {
		in, err := k.chat.Input(ctx)
		if err == nil && in != "@"+inChats+" " {
			err = fmt.Errorf("%q", in)
		}
		return err
	}))
	must.NoError(t, k.chat.Tab.Type(ctx, "make it 43"))
	sent := time.Now()
	must.NoError(t, k.chat.Send(ctx))
	m := k.took(heard)
	took := time.Since(sent)
	id := k.filed("make it 43").ID
	test.Eq(t, "make it 43", m.Text)
	test.Eq(t, who, m.By)
	test.Eq(t, username, m.Username)
	test.Eq(t, k.path, m.Path)
	test.Eq(t, id, m.Posted)
	test.LessEq(t, 0, len(m.Attached))
	t.Logf("heard %v after it was sent", took.Round(time.Millisecond))
	k.shows("that it was heard", func(last browser.ChatMessage, writers string) bool {
		return isWorking(writers) && last.Text == "@"+inChats+" make it 43"
	})
	k.tab.Shoot("heard")

	if refused := k.edit("cell-1", "42", "43"); refused != "" {
		t.Fatal(refused)
	}
	k.tab.shows("the edit", "# Answers", "answer = 43", "other = 1")
	k.shows("that it is working", func(_ browser.ChatMessage, writers string) bool { return isWorking(writers) })
	k.tab.Shoot("working")
	_, err = k.claude.Do(ctx, "reply", map[string]any{"mention": m.Mention, "text": "It is **43** now.", "cells": []string{"cell-1"}}, nil)
	must.NoError(t, err)
	k.shows("the reply", func(last browser.ChatMessage, writers string) bool {
		return writers == "" && slices.Contains(faces, last.Sender) && (last.Loaded || last.Initials != "") &&
			last.Text == "It is 43 now." && slices.Equal(last.Attachments, []string{talkedOf + ": code cell"})
	})
	k.tab.Shoot("reply")

	// Typed, with a cell.
	heard = k.waits(k.path)
	must.NoError(t, k.chat.AttachCell(ctx, 2))
	k.tab.Shoot("attached")
	must.NoError(t, k.chat.Say(ctx, "why 1, @"+inChats+"?"))
	m = k.took(heard)
	test.Eq(t, "why 1, @"+inChats+"?", m.Text)
	test.Eq(t, who, m.By)
	must.SliceLen(t, 1, m.Attached)
	test.EqOp(t, attached{talkedOf, "other = 1", "cell-2"}, m.Attached[0])
	_, err = k.claude.Do(ctx, "reply", map[string]any{"mention": m.Mention, "text": "Because."}, nil)
	must.NoError(t, err)
	k.shows("the second reply", func(last browser.ChatMessage, writers string) bool { return writers == "" && last.Text == "Because." })
	k.tab.Shoot("second-reply")
}

// A message in the chat keeps agents out of the notebook in front of its author, and another lets them in again. The
// agents are informed, but not mentioned.
func TestHandsOffInAChat(t *testing.T) {
	ctx := t.Context()
	k := newTalk(t, "talk.chat", kit.Code("axis = 0"), kit.Code("other = 1"))
	who := k.tab.name(ctx)
	var err error
	k.chat, err = k.tab.OpenSideChat(ctx, k.path)
	must.NoError(t, err)
	heard := k.waits(k.path)
	k.offered()
	must.NoError(t, k.chat.Clear(ctx))
	// People who came before the agent are known only later.
	must.NoError(t, poll.Until(ctx, "the notebook in front of the person", func(context.Context) error {
		seen := lookAround(t, k.claude, map[string]any{"path": talkedOf})
		for _, p := range seen.People {
			if slices.Contains(p.Front, talkedOf) {
				return nil
			}
		}
		return fmt.Errorf("%+v", seen)
	}))

	must.NoError(t, k.chat.Say(ctx, "@"+inChats+" hands off"))
	k.shows("that hands are off", func(last browser.ChatMessage, _ string) bool {
		return strings.HasPrefix(last.Text, "Hands off "+talkedOf) && last.Sender == inChats
	})
	k.tab.Shoot("hands-off")
	refused := k.edit("cell-1", "1", "2")
	test.StrHasPrefix(t, "hands_off", refused)
	test.StrContains(t, refused, who)
	must.NoError(t, k.chat.Say(ctx, "@"+inChats+" go on"))
	k.shows("that they may go on", func(last browser.ChatMessage, _ string) bool {
		return strings.HasPrefix(last.Text, "Going on with "+talkedOf)
	})
	if refused := k.edit("cell-1", "1", "2"); refused != "" {
		t.Errorf("refused with %q", refused)
	}
	k.tab.shows("the edit", "axis = 0", "other = 2")
	k.tab.Shoot("go-on")
	must.NoError(t, k.chat.Say(ctx, "@"+inChats+", thanks"))
	if m := k.took(heard); m.Text != "thanks" {
		t.Errorf("%+v", m)
	}
}

// An agent that waits in a chat is informed when the chat is deleted.
func TestChatDeletedWhileWaiting(t *testing.T) {
	ctx := t.Context()
	k := newTalk(t, "talk.chat", kit.Code("answer = 42"))
	var err error
	k.chat, err = k.tab.OpenChat(ctx, k.path)
	must.NoError(t, err)
	heard := k.waits(k.path)
	k.offered()
	_, err = browser.Eval[bool](ctx, k.tab.Tab, `window.jupyterapp.serviceManager.contents.delete("talk.chat").then(() => true)`)
	must.NoError(t, err)
	deleted := time.Now()
	m := <-heard
	must.Error(t, m.err)
	test.StrContains(t, m.err.Error(), k.path)
	test.StrContains(t, m.err.Error(), "deleted")
	t.Logf("told %v after it was deleted: %v", time.Since(deleted).Round(time.Millisecond), m.err)
	if _, err := os.Stat(k.lab.Path(k.path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the chat is there again: %v", err)
	}
}

// A chat that only an open tab refers to is found by an agent that waits without a path.
func TestCalledInAChatThatIsOpened(t *testing.T) {
	ctx := t.Context()
	k := newTalk(t, "elsewhere/talk.chat", kit.Code("answer = 42"))
	heard := k.waits("")
	var err error
	k.chat, err = k.tab.OpenSideChat(ctx, k.path)
	must.NoError(t, err)
	opened := time.Now()
	k.offered()
	t.Logf("found %v after it was opened", time.Since(opened).Round(time.Millisecond))
	must.NoError(t, k.chat.Enter(ctx))
	must.NoError(t, k.chat.Say(ctx, "hello"))
	m := k.took(heard)
	test.Eq(t, "hello", m.Text)
	test.Eq(t, k.path, m.Path)
}
