package serve

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test/must"
)

// restCall returns the body of a tool call over REST.
func restCall(tool, mark string) string {
	return fmt.Sprintf(`{"tool_name":%q,"arguments":{"mark":%q}}`, tool, mark)
}

// A caller gets at most half, all callers together at most the total, and a waiting caller gets an amount that is given
// back.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(10)
		take := func(who caller, n int64, want shortage) func() {
			t.Helper()
			back, short := b.take(who, n)
			if short != want {
				t.Fatalf("%s takes %d: %d, want %d", who, n, short, want)
			}
			return back
		}
		ada := take("ada", 3, enough)
		take("ada", 3, shortOfOwn)
		all := take("bob", 100, enough) // the most that one caller can have
		take("cleo", 3, shortOfAll)
		take("cleo", 2, enough)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		began := time.Now()
		_, short := b.await(ctx, "cleo", 3)
		must.Eq(t, shortOfAll, short)
		must.Eq(t, time.Second, time.Since(began))
		time.AfterFunc(time.Minute, all)
		if _, short := b.await(t.Context(), "cleo", 3); short != enough {
			t.Fatal(short)
		}
		ada()
		ada() // a second call has no effect
		must.Eq(t, 5, b.used)
		must.Eq(t, 0, b.by["ada"])
		must.Eq(t, 5, b.by["cleo"])
	})
}

// A token that begins sessions without end ends its own oldest silent ones, and does not lock out other tokens.
func TestSessionsOfOneToken(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limits.Clients = 6 })
	other := r.begin(bearing(token2))
	first := r.begin()
	st, _ := r.open("/mcp", first) // it is not silent
	defer st.close()
	second := r.begin()
	for range 20 {
		r.begin()
	}
	last := r.begin()
	r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), second), 404, "ended")
	for _, mine := range []change{first, last} {
		r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), mine), 200)
	}
	r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), other, bearing(token2)), 200)
	r.begin(bearing(token2)) // one session of the first token ends
	r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), other, bearing(token2)), 200)
}

// Requests of one token with incomplete bodies leave room for others.
func TestHalfSentBodies(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limits.Requests = 6 })
	for range 6 {
		c := r.dial()
		defer c.Close()
		if _, err := fmt.Fprintf(c, "POST /tools/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", token1); err != nil {
			t.Fatal(err)
		}
	}
	// A request of the same token to check this would count, and one of the six could be refused for it.
	eventually(t, "the token's share to be used", func() bool { return r.s.requests.inUse() == 3 })
	r.wants(r.send("POST", "/tools/call", restCall("echo", "1")), 429)
	r.wants(r.send("POST", "/tools/call", restCall("echo", "1"), bearing(token2)), 200)
}

// Many waiting calls of one session do not block its other calls, and can be cancelled.
func TestManyCallsWait(t *testing.T) {
	r := newRig(t, nil)
	mine := r.begin()
	const many = 110
	for i := range many {
		r.hold("/mcp", call(100+i, "wait", "held"), "held", mine)
	}
	r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), mine), 200)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":150}}`
	r.wants(r.send("POST", "/mcp", cancel, mine), 202)
	r.begun("ended held")
	r.wants(r.send("DELETE", "/mcp", "", mine), 200)
	for range many - 1 {
		r.begun("ended held")
	}
}

// The bytes of long bodies served at once are bounded, in total and by token; short ones are always accepted.
func TestBytesAtOnce(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.Limits.Body, cfg.Limits.Bytes, cfg.Limits.RoomTime = 1<<20, 4<<20, 50*time.Millisecond
	})
	ctx, stop := context.WithCancel(t.Context())
	var held sync.WaitGroup
	mark := strings.Repeat("x", 900<<10)
	hold := func(changes ...change) {
		held.Go(func() {
			if res, err := r.client.Do(r.request(ctx, "POST", "/tools/call", restCall("wait", mark), changes...)); err == nil {
				res.Body.Close()
			}
		})
		r.begun(mark)
	}
	hold()
	hold()
	r.wants(r.send("POST", "/tools/call", restCall("echo", mark)), 429, "too many bytes of your requests")
	r.wants(r.send("POST", "/tools/call", restCall("echo", "1")), 200)
	hold(bearing(token2))
	stop()
	held.Wait()
	for range 3 {
		r.begun("ended " + mark)
	}
	eventually(t, "room", func() bool { return r.send("POST", "/tools/call", restCall("echo", mark)).status == 200 })
}
