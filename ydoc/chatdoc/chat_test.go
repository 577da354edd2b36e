package chatdoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/crdt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ada = User{User: awareness.User{Username: "ada", Name: "Ada (AI)", DisplayName: "Ada L", Color: "#888"}}

// pair makes two replicas that exchange their updates.
func pair(t *testing.T) (a, b *Doc) {
	t.Helper()
	a, b = New(), New()
	a.OnUpdate(func(u []byte) { must.NoError(t, b.Apply(u)) })
	return a, b
}

// bodies returns the texts of messages.
func bodies(list []Message) string {
	var s []string
	for _, m := range list {
		s = append(s, m.Body)
	}
	return strings.Join(s, "|")
}

func TestMessageArrivesWhole(t *testing.T) {
	a, b := pair(t)
	id, err := a.Append(ada, Outgoing{Body: "look", Mentions: []string{"bob"}, Attachments: []Attachment{
		{Type: "notebook", Path: "x/a.ipynb", Cells: []Cell{{ID: "c1", Type: "markdown", Selection: &Selection{Start: [2]int{1, 2}, End: [2]int{3, 4}, Content: "so"}}}},
	}})
	must.NoError(t, err)
	m, ok := b.Message(id)
	must.True(t, ok)
	must.Eq(t, "look", m.Body)
	must.True(t, m.RawTime)
	must.False(t, m.Time.IsZero())
	must.Eq(t, "Ada L", m.Sender.DisplayName)
	must.True(t, m.Sender.Agent())
	must.Eq(t, "Ada-L", m.Sender.MentionName())
	must.Eq(t, "[bob]", fmt.Sprint(m.Mentions))
	must.SliceLen(t, 1, m.Attachments)
	at := m.Attachments[0]
	test.Eq(t, "x/a.ipynb", at.Path)
	test.Eq(t, "c1", at.Cells[0].ID)
	test.Eq(t, "markdown", at.Cells[0].Type)
	test.EqOp(t, Selection{[2]int{1, 2}, [2]int{3, 4}, "so"}, *at.Cells[0].Selection)
	test.Eq(t, "", b.ID())
	test.False(t, b.PlainText())
	test.SliceLen(t, 1, b.Users())
}

// A follower gets each new or changed message, and a moved one under its id.
func TestFollow(t *testing.T) {
	a, b := pair(t)
	_, err := a.Append(ada, Outgoing{Body: "one"})
	must.NoError(t, err)
	var told []string
	stop := b.Follow(func(batch Batch) { told = append(told, fmt.Sprintf("%v %s", batch.Whole, bodies(batch.Messages))) })
	id, err := a.Append(ada, Outgoing{Body: "two"})
	must.NoError(t, err)
	must.NoError(t, a.SetBody(id, "two!", true))
	must.NoError(t, a.SetBody(id, "two!", true)) // nothing
	// Like a message that the server has moved: as a plain object.
	must.NoError(t, a.write("move", func(x *crdt.Tx) error {
		m := a.window.index[id].typ.Object()
		x.Remove(a.window.list, 1, 1)
		x.InsertValue(a.window.list, 0, m)
		return nil
	}))
	must.NoError(t, a.SetBody(id, "two?", true))
	must.NoError(t, a.Enter(ada)) // not a message
	stop()
	_, err = a.Append(ada, Outgoing{Body: "three"})
	must.NoError(t, err)
	if got, want := strings.Join(told, ", "), "true one, false two, false two!, false two!, false two?"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if got := bodies(b.Messages()); got != "two?|one|three" {
		t.Errorf("the chat is %s", got)
	}
	if m, _ := b.Message(id); !m.Edited {
		t.Error("nobody sees that it was edited")
	}
	if err := a.SetBody("none", "x", true); !errors.Is(err, ErrNoMessage) {
		t.Errorf("edit nothing: %v", err)
	}
}

// Invalid entries are skipped and do no harm.
func TestWhatOthersWrite(t *testing.T) {
	a, b := pair(t)
	must.NoError(t, a.write("anything", func(x *crdt.Tx) error {
		for _, v := range []any{
			nil, 7, "text",
			[]any{1},
			map[string]any{},
			map[string]any{"id": "no body"},
			map[string]any{"id": 7, "body": "x"},
			map[string]any{"id": "type", "type": "other", "body": "x"},
			map[string]any{
				"id": "odd", "body": "odd", "time": "noon", "sender": 7, "mentions": "bob", "attachments": []any{"none", 7, "bad"},
				"raw_time": 1, "edited": "yes", "deleted": nil,
			},
			map[string]any{"id": "late", "body": "late", "time": 1e300},
		} {
			x.InsertValue(a.window.list, a.window.list.Len(), v)
		}
		x.InsertType(a.window.list, 0, crdt.KindArray)
		x.Set(a.window.attachments, "bad", map[string]any{"value": "f", "cells": []any{nil, map[string]any{"id": "c", "selection": map[string]any{"start": []any{"a", -1, 2}}}}})
		x.Set(a.window.users, "bad", []any{})
		x.Set(a.metadata, "id", 7)
		return nil
	}))
	if got := bodies(b.Messages()); got != "odd|late" {
		t.Errorf("messages %q", got)
	}
	m, _ := b.Message("odd")
	test.True(t, m.Time.IsZero())
	must.Nil(t, m.Mentions)
	must.SliceLen(t, 1, m.Attachments)
	must.SliceLen(t, 1, m.Attachments[0].Cells)
	test.Eq(t, "", b.ID())
	if _, err := a.Append(User{}, Outgoing{Body: "x"}); !errors.Is(err, crdt.ErrInvalid) {
		t.Errorf("nobody sends: %v", err)
	}
	if _, err := a.Append(ada, Outgoing{Body: "\xff"}); !errors.Is(err, crdt.ErrInvalid) {
		t.Errorf("no UTF-8: %v", err)
	}
}

// In a long chat only the last messages are read, and a new one is delivered alone.
func TestLongChat(t *testing.T) {
	a := New()
	must.NoError(t, a.write("fill", func(x *crdt.Tx) error {
		for i := range 100_000 {
			m := x.InsertType(a.window.list, a.window.list.Len(), crdt.KindMap)
			x.Set(m, "id", fmt.Sprint(i))
			x.Set(m, "body", "hello")
		}
		return nil
	}))
	told := 0
	defer a.Follow(func(b Batch) { told = len(b.Messages) })()
	if told != Window {
		t.Errorf("%d messages", told)
	}
	id, err := a.Append(ada, Outgoing{Body: "last"})
	must.NoError(t, err)
	list := a.Messages()
	test.Eq(t, 1, told)
	must.SliceLen(t, Window, list)
	test.Eq(t, id, list[Window-1].ID)
}
