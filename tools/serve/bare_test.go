package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// The bare address serves the same as /mcp to authorized clients, and describes the server to a browser.
func TestBareAddress(t *testing.T) {
	r := newRig(t, nil)
	a := r.send("POST", "/", hello)
	r.wants(a, 200, "toy")
	mine := with("Mcp-Session-Id", a.header.Get("Mcp-Session-Id"))
	r.wants(r.send("POST", "/", call(2, "echo", "here"), mine), 200, "here")
	r.wants(r.send("POST", "/mcp", call(2, "echo", "there"), mine), 200, "there") // the same session
	listen, a := r.open("/", mine)
	if listen == nil {
		t.Fatalf("%+v", a)
	}
	body, changes := modern(3, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"mark": "newest"}})
	r.wants(r.send("POST", "/", body, changes...), 200, "newest")
	r.wants(r.send("POST", "/", strings.Repeat(" ", 17<<20)), 413, "longer than")
	r.wants(r.send("DELETE", "/", "", mine), 200)
	if err := listen.end(); err != nil {
		t.Error(err)
	}

	nobody, foreign := with("Authorization", ""), with("Origin", "https://evil.example")
	r.wants(r.send("POST", "/", hello, nobody), 401, "Bearer TOKEN")
	r.wants(r.send("POST", "/", hello, foreign), 403, "--allowed-origins")
	r.wants(r.send("GET", "/", "", nobody), 401)
	r.wants(r.send("GET", "/", "", nobody, with("Accept", "text/html, text/event-stream")), 401)
	browser := with("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	for _, method := range []string{"GET", "HEAD"} {
		a = r.send(method, "/", "", nobody, browser)
		if r.wants(a, 200); a.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %v", method, a.header)
		}
	}
	r.wants(r.send("GET", "/", "", nobody, browser), 200, "nbduet", "/mcp", "token")
	r.wants(r.send("GET", "/", "", nobody, browser, foreign), 403)
	r.wants(r.send("GET", "/mcp", "", nobody, browser), 401)
	r.wants(r.send("GET", "/none", "", nobody, browser), 401)
	r.wants(r.send("GET", "/none", "", browser), 404)
}

// The list without MCP has each tool's schema under both of its names.
func TestToolsListNames(t *testing.T) {
	r := newRig(t, nil)
	var list struct {
		Count int
		Tools []struct {
			Name        string
			Parameters  any
			InputSchema any
		}
	}
	a := r.send("GET", "/tools/list", "")
	err := json.Unmarshal([]byte(a.body), &list)
	must.NoError(t, err, must.Sprint(a.body))
	must.Eq(t, 3, list.Count, must.Sprint(a.body))
	must.SliceLen(t, 3, list.Tools, must.Sprint(a.body))
	for _, tool := range list.Tools {
		parameters, err := json.Marshal(tool.Parameters)
		schema, err2 := json.Marshal(tool.InputSchema)
		must.NoError(t, err, must.Sprint(tool.Name))
		must.NoError(t, err2, must.Sprint(tool.Name))
		test.Eq(t, string(schema), string(parameters), test.Sprint(tool.Name))
		test.StrContains(t, string(schema), `"object"`, test.Sprint(tool.Name))
	}
}

// A client that knows only the bare address is sent to the metadata of that address.
func TestBareMetadata(t *testing.T) {
	r, _, _ := newIssuerRig(t, nil)
	a := r.send("POST", "/", hello, with("Authorization", ""))
	if r.wants(a, 401); !strings.Contains(a.header.Get("WWW-Authenticate"), metadataPath+`"`) {
		t.Errorf("%v", a.header)
	}
}
