package pair_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// beside returns another process with the notebook open.
func (tb *table) beside() *table {
	tb.t.Helper()
	other := &table{&duo{Rig: toolstest.NewOn(tb.t, tb.Server), t: tb.t, path: tb.path}, tb.chat}
	other.agent(tools.Config{})
	other.Read(tb.path)
	return other
}

// listed returns the mentions without a reply, in JSON.
func (tb *table) listed() (out []pair.MentionView) {
	tb.t.Helper()
	var list pair.MentionList
	tb.Good("list_mentions", dict{}, &list)
	return list.Mentions
}

// both makes both processes wait, and returns the process that was called, and then the other.
func both(t *testing.T, one, two *table, where string, call func()) (had, other *table, m pair.MentionResult) {
	t.Helper()
	type heard struct {
		by, other *table
		pair.MentionResult
	}
	results := make(chan heard)
	m.MentionView = &pair.MentionView{}
	for _, h := range []heard{{by: one, other: two}, {by: two, other: one}} {
		h.MentionView = &pair.MentionView{}
		go func() {
			h.by.Good("wait_for_mention", dict{"path": where, "timeout": 20}, &h.MentionResult)
			results <- h
		}()
	}
	time.Sleep(time.Second)
	call()
	for range 2 {
		switch h := <-results; {
		case h.ID == "":
		case m.ID != "":
			t.Errorf("both were told: %+v, %+v", m.MentionView, h.MentionView)
		default:
			had, other, m = h.by, h.other, h.MentionResult
		}
	}
	if had == nil {
		t.Fatal("nobody was told")
	}
	return had, other, m
}

// One of two processes receives a mention, and the other lists it as taken until it is answered.
func TestTwoProcesses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		one := newTable(t, "x = 1", "y = 2")
		two := one.beside()
		ada := one.enters("ada", "Ada")
		had, other, m := both(t, one, two, one.path, func() {
			ada.writes("c1", "  # @Duet why 2?")
			ada.selects("c0", 0, 0)
		})
		taken := other.listed()
		must.SliceLen(t, 1, taken, must.Sprint("listed elsewhere"))
		must.Eq(t, "another", taken[0].Taken, must.Sprint("listed elsewhere"))
		must.Eq(t, "why 2?", taken[0].Text, must.Sprint("listed elsewhere"))
		must.Eq(t, "c1", taken[0].CellID, must.Sprint("listed elsewhere"))
		holds(t, other.asks("list_mentions", dict{}), "taken by another client")
		other.Bad("reply", dict{"mention": taken[0].ID, "text": "mine"}, "taken by another client")
		had.Good("reply", dict{"mention": m.ID, "text": "Because."}, nil)
		sessiontest.Eventually(t, "it is answered", func() bool { return len(other.listed()) == 0 })
		// A reply to a mention that no process has taken takes it.
		ada.writes("c0", "  # @Duet and 1?")
		ada.selects("c1", 0, 0)
		time.Sleep(5 * time.Second)
		first, second := one.listed(), two.listed()
		must.SliceLen(t, 1, first, must.Sprint("listed"))
		must.SliceLen(t, 1, second, must.Sprint("listed"))
		two.Good("reply", dict{"mention": second[0].ID, "text": "So."}, nil)
		sessiontest.Eventually(t, "it is answered", func() bool { return len(one.listed()) == 0 })
		one.Bad("reply", dict{"mention": first[0].ID, "text": "mine"}, "taken by another client")
		var replies []string
		for _, c := range ada.Notebook.Cells() {
			if c.Type == ydoc.Markdown {
				replies = append(replies, c.Source)
			}
		}
		if fmt.Sprint(replies) != "[So. Because.]" {
			t.Errorf("the replies are %q", replies)
		}
	})
}

// In a chat it is the same, and the chat does not say that nobody listens.
func TestTwoProcessesInChat(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		one := newTable(t, "x = 1")
		two := one.beside()
		ada := one.talks("ada", "Ada")
		one.joins()
		two.joins()
		for i := range 3 {
			said := fmt.Sprint("number ", i)
			had, other, m := both(t, one, two, one.chat, func() { ada.text("@Duet " + said) })
			taken := other.listed()
			must.SliceLen(t, 1, taken, must.Sprint("listed elsewhere"))
			must.Eq(t, "another", taken[0].Taken, must.Sprint("listed elsewhere"))
			must.Eq(t, m.Posted, taken[0].Posted, must.Sprint("listed elsewhere"))
			must.Eq(t, said, m.Text, must.Sprint("listed elsewhere"))
			other.Bad("reply", dict{"mention": taken[0].ID, "text": "mine"}, "taken by another client")
			if i == 0 {
				time.Sleep(40 * time.Second) // after half a minute it would say so
			}
			had.Good("reply", dict{"mention": m.ID, "text": "re " + said}, nil)
			sessiontest.Eventually(t, "it is answered", func() bool { return len(other.listed()) == 0 })
			ada.hears("re " + said)
		}
		for _, m := range ada.Messages() {
			if strings.Contains(m.Body, "I am not listening") {
				t.Error("told that nobody listens")
			}
		}
	})
}
