package serve

import (
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// An id is returned as it was sent, by every transport.
func TestIDs(t *testing.T) {
	r := newRig(t, nil)
	mine := r.begin()
	stream, message := r.events()
	defer stream.close()
	for _, id := range []string{"2", "1.0", "9007199254740993", "-18446744073709551616", `"2"`, `"<é>"`, `"\u00e9"`} {
		ping := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
		if a := r.send("POST", "/mcp", ping, mine); a.status != 200 || a.body != want+"\n" {
			t.Errorf("answered %d %s, want %s", a.status, a.body, want)
		}
		r.wants(r.send("POST", message, ping), 202)
		line, err := stream.until("data: ")
		must.NoError(t, err)
		test.Eq(t, "data: "+want, line)
		body, headers := modern(5, "subscriptions/listen", map[string]any{"notifications": map[string]any{}})
		a := r.send("POST", "/mcp", strings.Replace(body, `"id":5`, `"id":`+id, 1), headers...)
		test.Eq(t, 200, a.status)
		test.StrContains(t, a.body, `{"jsonrpc":"2.0","id":`+id+`,`)
		test.StrContains(t, a.body, `"io.modelcontextprotocol/subscriptionId":`+id)
	}
	for _, path := range []string{"/mcp", message} {
		r.wants(r.send("POST", path, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, mine), 400, `"id":null`, "-32600")
		r.wants(r.send("POST", path, `{"jsonrpc":"2.0","id":[1.0],"method":"ping"}`, mine), 400, `"id":null`, "-32600")
		r.wants(r.send("POST", path, `{"jsonrpc":"2.0","id":1.0}`, mine), 400, `"id":1.0`, "-32600")
	}
}

// An answer without a waiting request is dropped.
func TestStrayAnswers(t *testing.T) {
	r := newRig(t, nil)
	mine := r.begin()
	stream, message := r.events()
	defer stream.close()
	_, headers := modern(5, "ping", map[string]any{})
	for _, stray := range []string{
		`{"jsonrpc":"2.0","id":77,"error":{"code":-32000,"message":"too late"}}`,
		`{"jsonrpc":"2.0","id":77,"result":{"action":"accept"}}`,
		`{"jsonrpc":"2.0","id":"a","result":null}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`,
	} {
		for path, with := range map[string][]change{"/mcp": {mine}, message: nil, "/mcp/": headers} {
			a := r.send("POST", path, stray, with...)
			test.Eq(t, http.StatusAccepted, a.status, test.Sprint(path, stray))
			test.Eq(t, "", a.body, test.Sprint(path, stray))
		}
	}
	r.wants(r.send("POST", message, call(78, "echo", "on")), 202)
	line, err := stream.until("data: ")
	must.NoError(t, err)
	test.StrContains(t, line, `"id":78`)
	r.wants(r.send("POST", "/mcp", `{"jsonrpc":"2.0","id":77,"result":{}}`, with("Mcp-Session-Id", "none")), 404)
}

// The refusal of a message that is too long has the message's id.
func TestTooLongHasAnID(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limits.Body = 10_000 })
	mine := r.begin()
	unsaid := func(r *http.Request) { r.ContentLength = -1 }
	long := strings.Repeat("x", 20_000)
	for body, id := range map[string]string{
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping","params":{"a":"` + long + `"}}`: "9007199254740993",
		`{"params":{"a":"` + long + `"},"id":5}`:                                                "null",
	} {
		want := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the body is longer than 10000 bytes"}}`
		r.wants(r.send("POST", "/mcp", body, mine), 413, want)
		r.wants(r.send("POST", "/mcp", body, mine, unsaid), 413, want)
	}
	r.wants(r.send("POST", "/tools/call", `{"id":5,"a":"`+long+`"}`), 413, `{"error":"the body`)
}
