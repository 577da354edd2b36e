package pair_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// table has an agent and people in a notebook and the chat beside it.
type table struct {
	*duo
	chat string
}

func newTable(t *testing.T, sources ...string) *table {
	t.Helper()
	d := duoOf(t, toolstest.NewOn(t, jupytertest.Start(t, jupytertest.WithChat(t))), sources...)
	tb := &table{d, strings.TrimSuffix(d.path, ".ipynb") + ".chat"}
	tb.Server.Write(t, tb.chat, "{}")
	d.Read(d.path)
	return tb
}

// named returns the table for another client, under a name.
func (tb *table) named(name string) *table {
	tb.t.Helper()
	s, err := tools.New(tools.Config{Work: tb.Work, Answers: tools.JSONAnswers})
	if err != nil {
		tb.t.Fatal(err)
	}
	toolstest.Tick()
	c, err := client.NewInProcessClient(s)
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(tb.t.Context()); err != nil {
		tb.t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = "2025-06-18", mcp.Implementation{Name: name, Version: "1"}
	if _, err := c.Initialize(tb.t.Context(), hello); err != nil {
		tb.t.Fatal(err)
	}
	rig, d := *tb.Rig, *tb.duo
	rig.Client, d.Rig = c, &rig
	return &table{&d, tb.chat}
}

// talker is a participant in the chat.
type talker struct {
	*sessiontest.Talker
	t *testing.T
}

func (tb *table) talks(username, name string) *talker {
	tb.t.Helper()
	u := awareness.User{Username: username, Name: name, DisplayName: name}
	return &talker{sessiontest.Talks(tb.t, tb.Server, jupyter.MustPath(tb.chat), u), tb.t}
}

// says sends a message, which has arrived here when it returns.
func (p *talker) says(m chatdoc.Outgoing) (id string) {
	p.t.Helper()
	id = p.Says(m)
	settle()
	return id
}

func (p *talker) settles() {
	p.t.Helper()
	if err := p.Room.Barrier(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	settle()
}

func (p *talker) text(body string) string {
	p.t.Helper()
	return p.says(chatdoc.Outgoing{Body: body})
}

// hears waits for a message that contains a text, and returns it.
func (p *talker) hears(text string) (m chatdoc.Message) {
	p.t.Helper()
	sessiontest.Eventually(p.t, "a message: "+text, func() bool {
		all := p.Messages()
		at := slices.IndexFunc(all, func(m chatdoc.Message) bool { return strings.Contains(m.Body, text) })
		if at >= 0 {
			m = all[at]
		}
		return at >= 0
	})
	return m
}

// count returns the number of messages that contain a text.
func (p *talker) count(text string) (n int) {
	for _, m := range p.Messages() {
		if strings.Contains(m.Body, text) {
			n++
		}
	}
	return n
}

// joins makes the agent join the chat.
func (tb *table) joins() {
	tb.t.Helper()
	if got := tb.asked(dict{"timeout": 0}); got.ID != "" {
		tb.t.Errorf("reported %+v", got.MentionView)
	}
}

// asked waits for a mention in the chat as a client that reads JSON.
func (tb *table) asked(args dict) (out pair.MentionResult) {
	tb.t.Helper()
	out.MentionView = &pair.MentionView{}
	tb.Good("wait_for_mention", toolstest.With(args, "path", tb.chat), &out)
	return out
}

// cell returns an attachment of a cell of the notebook.
func (tb *table) cell(id string) []chatdoc.Attachment {
	return []chatdoc.Attachment{{Type: "notebook", Path: tb.path, Cells: []chatdoc.Cell{{ID: id, Type: "code"}}}}
}

func (tb *table) file(name string) string { return filepath.Join(tb.Server.Root, name) }

// watched returns a function that searches the announcements in the chat's room.
func (tb *table) watched() (announced func(text string) bool) {
	tb.t.Helper()
	s, err := tb.Srv.Rooms.Session(tb.t.Context(), jupyter.MustPath(tb.chat), "text", "chat")
	if err != nil {
		tb.t.Fatal(err)
	}
	ws, err := tb.Srv.Rooms.Dial(tb.t.Context(), s.RoomID(), s.SessionID)
	if err != nil {
		tb.t.Fatal(err)
	}
	var mu sync.Mutex
	seen := awareness.NewTable(1)
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			_, b, err := ws.ReadMessage()
			if err != nil {
				return
			}
			if f, err := wire.ParseFrame(b, wire.DefaultLimits); err == nil && f.Kind == wire.Awareness {
				mu.Lock()
				_, _ = seen.Apply(f.Payload, time.Now())
				mu.Unlock()
			}
		}
	})
	tb.t.Cleanup(func() {
		_ = ws.Close()
		reading.Wait()
	})
	return func(text string) bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.ContainsFunc(seen.Peers(), func(s awareness.State) bool { return strings.Contains(string(s.Raw), text) })
	}
}
