package pair_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// told is a client with the notifications that it has received.
type told struct {
	*client.Client
	heard chan mcp.JSONRPCNotification
	hello *mcp.InitializeResult
}

func (d *duo) told(info mcp.Implementation, can mcp.ClientCapabilities) *told {
	d.t.Helper()
	toolstest.Tick()
	c := &told{client.NewClient(transport.NewInProcessTransport(d.MCPServer())), make(chan mcp.JSONRPCNotification, 100), nil}
	if err := c.Start(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = c.Close() })
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/"+resource.Channel || n.Params.AdditionalFields["uri"] == pair.URIMentions {
			c.heard <- n
		}
	})
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion, hello.Params.ClientInfo, hello.Params.Capabilities = "2025-06-18", info, can
	var err error
	if c.hello, err = c.Initialize(d.t.Context(), hello); err != nil {
		d.t.Fatal(err)
	}
	d.CallAs(c.Client, "read_nb_cells", dict{"path": d.path})
	return c
}

// next returns the next notification; false if none comes within a time.
func (c *told) next(within time.Duration) (n mcp.JSONRPCNotification, ok bool) {
	select {
	case n = <-c.heard:
		return n, true
	case <-time.After(within):
		return n, false
	}
}

// list reads the mentions.
func (d *duo) mentions(c *told) (list pair.MentionList) {
	d.t.Helper()
	r, err := d.ReadURI(c.Client, pair.URIMentions)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(r.Text), &list); err != nil {
		d.t.Fatalf("%v: %s", err, r.Text)
	}
	return list
}

// A subscriber of the mentions is notified of a mention, of its being taken, and of the reply, and of nothing else; the
// resource has the content of list_mentions.
func TestMentionsResource(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "y = 2")
		d.Read(d.path)
		c := d.told(mcp.Implementation{Name: "some"}, mcp.ClientCapabilities{})
		if _, listed := d.Listed(c.Client)[pair.URIMentions]; !listed {
			t.Error("it is not listed")
		}
		var sub mcp.SubscribeRequest
		sub.Params.URI = pair.URIMentions
		if err := c.Subscribe(t.Context(), sub); err != nil { //nolint:staticcheck // the older protocol is what is tested
			t.Fatal(err)
		}
		if list := d.mentions(c); len(list.Mentions) != 0 || !strings.Contains(list.Message, "no unanswered mentions") {
			t.Errorf("at first: %+v", list)
		}
		ada := d.enters("ada", "Ada")
		ada.writes("c1", "  # nobody is called")
		if n, ok := c.next(2 * time.Second); ok {
			t.Errorf("reported nothing: %+v", n)
		}
		ada.writes("c0", "  # @Duet why 1?")
		ada.selects("c1", 0, 0)
		if _, ok := c.next(time.Minute); !ok {
			t.Fatal("not notified of a mention")
		}
		list := d.mentions(c)
		must.SliceLen(t, 1, list.Mentions)
		must.Eq(t, "why 1?", list.Mentions[0].Text)
		must.Eq(t, "c0", list.Mentions[0].CellID)
		must.StrContains(t, list.Warning, "untrusted")
		m := d.called(dict{})
		_, ok := c.next(time.Minute)
		must.True(t, ok, must.Sprint("taken"))
		test.Eq(t, "another", d.mentions(c).Mentions[0].Taken, test.Sprint("taken"))
		d.Good("reply", dict{"mention": m.ID, "text": "Because."}, nil)
		_, ok = c.next(time.Minute)
		must.True(t, ok, must.Sprint("answered"))
		test.SliceEmpty(t, d.mentions(c).Mentions, test.Sprint("answered"))
		if n, ok := c.next(2 * time.Second); ok {
			t.Errorf("told more: %+v", n)
		}
	})
}

// A client with a channel is notified once of a mention that no client has taken, which does not take it; a client without a
// channel is not notified, and neither is one whose own call receives it.
func TestMentionsByChannel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "y = 2")
		d.Read(d.path)
		claude := d.told(mcp.Implementation{Name: "claude-code"}, mcp.ClientCapabilities{})
		says := d.told(mcp.Implementation{Name: "some"}, mcp.ClientCapabilities{Experimental: map[string]any{resource.Channel: map[string]any{}}})
		none := d.told(mcp.Implementation{Name: "some"}, mcp.ClientCapabilities{})
		if _, ok := claude.hello.Capabilities.Experimental[resource.Channel]; !ok {
			t.Errorf("the server has no channel: %+v", claude.hello.Capabilities)
		}
		ada := d.enters("ada", "Ada")
		ada.writes("c0", "  # @Duet why 1?")
		ada.selects("c1", 0, 0)
		for _, c := range []*told{claude, says} {
			n, ok := c.next(time.Minute)
			if !ok {
				t.Fatal("not told")
			}
			params := n.Params.AdditionalFields
			text, _ := params["content"].(string)
			meta, _ := json.Marshal(params["meta"])
			id := d.mentions(c).Mentions[0].ID
			holds(t, text, `Ada called you in `+d.path+`, cell "c0": "why 1?"`, "untrusted", "wait_for_mention with timeout 0", "reply with mention "+id)
			holds(t, string(meta), `"cell":"c0"`, `"from":"Ada"`, `"mention":"`+id+`"`, `"path":"`+d.path+`"`)
		}
		if m := d.called(dict{"timeout": 0}); m.Text != "why 1?" {
			t.Errorf("it was taken by announcing it: %+v", m)
		}
		go func() {
			time.Sleep(time.Second)
			ada.writes("c1", "  # @Duet why 2?")
			ada.selects("c0", 0, 0)
		}()
		if m := d.called(dict{"timeout": 30}); m.Text != "why 2?" {
			t.Errorf("%+v", m)
		}
		for _, c := range []*told{claude, says, none} {
			if n, ok := c.next(3 * time.Second); ok {
				t.Errorf("told: %+v", n)
			}
		}
	})
}
