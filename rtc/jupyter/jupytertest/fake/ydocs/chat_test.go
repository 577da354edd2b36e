package ydocs

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// send appends a message with a time.
func send(t *testing.T, d *Document, id string, at float64) {
	t.Helper()
	if err := d.transact("send", func(x *crdt.Tx) error {
		m := x.InsertType(d.chat.messages, d.chat.messages.Len(), crdt.KindMap)
		for k, v := range map[string]any{"id": id, "type": "msg", "body": id, "sender": "ada", "time": at, "raw_time": true} {
			x.Set(m, k, v)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	d.Act()
}

// order returns the ids of the messages, each with "*" while its time is the sender's.
func order(d *Document) string {
	var ids []string
	d.replica.Read("read", func() {
		for _, v := range d.chat.messages.List() {
			m := v.(map[string]any)
			id := m["id"].(string)
			if m["raw_time"] == true {
				id += "*"
			}
			ids = append(ids, id)
		}
	})
	return strings.Join(ids, " ")
}

// A chat gets an id, and each message the server's time once the chat was saved; a message with an earlier time than
// others is moved after them.
func TestChat(t *testing.T) {
	d := New("chat", Options{Chats: true})
	if err := d.SetContent(`{"messages": [{"id": "old", "body": "1", "sender": "ada", "time": 1, "raw_time": false}]}`); err != nil {
		t.Fatal(err)
	}
	test.True(t, d.Act(), test.Sprint("an id is given once"))
	test.False(t, d.Act(), test.Sprint("an id is given once"))
	future := float64(time.Now().Add(time.Hour).Unix())
	send(t, d, "early", future)
	if err := d.SetState("dirty", false); err != nil {
		t.Fatal(err)
	}
	if got := order(d); got != "old early*" {
		t.Errorf("before the first save: %s", got)
	}
	send(t, d, "new", 2)
	if got := order(d); got != "old new early*" {
		t.Errorf("the message of another clock: %s", got)
	}
	content, err := d.Content()
	if err != nil {
		t.Fatal(err)
	}
	other := New("chat", Options{Chats: true})
	if err := other.SetContent(content); err != nil {
		t.Fatal(err)
	}
	again, err := other.Content()
	must.NoError(t, err)
	test.EqOp(t, content, again)
	if New("chat", Options{}).chat != nil {
		t.Error("a server without chats has one")
	}
}
