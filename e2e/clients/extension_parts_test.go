package clients_test

import (
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// What the extension passes on to a program, and back, comes whole or at once, ends when either end does, and is read no
// faster than it is taken; and its reader of the program's log takes it as it comes.
func TestInsideJupyterParts(t *testing.T) {
	in, err := installed()
	must.NoError(t, err)
	if out, err := exec.CommandContext(t.Context(), in.Python, "-X", "dev", "-W", "error", "testdata/extension/parts.py").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// pieces shows that an answer that has come whole is passed on whole, header and all, which its length shows, and that a
// stream begins at once, however little is in it.
func (s *site) pieces(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		stream             bool
	}{
		{"GET", "/mcp/healthz", "", false},
		{"HEAD", "/mcp/healthz", "", false},
		{"POST", "/mcp/tools/call", `{"tool_name":"list_runs","arguments":{}}`, false},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, false},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"none"}`, false},
		{"GET", "/mcp/sse", "", true},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, strings.NewReader(c.body))
		must.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := s.sender.RoundTrip(req)
		must.NoError(t, err)
		if c.stream {
			first := make([]byte, 16)
			_, err := io.ReadFull(res.Body, first)
			must.NoError(t, err, must.Sprint(c.method, c.path))
			test.StrHasPrefix(t, "event:", string(first), test.Sprint(c.method, c.path))
		}
		chunked := slices.Contains(res.TransferEncoding, "chunked")
		test.Eq(t, c.stream, chunked)
		test.False(t, !c.stream && res.ContentLength < 0)
		must.NoError(t, res.Body.Close())
	}
}
