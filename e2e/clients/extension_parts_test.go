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

// The extension passes on whole answers and streams in both directions without delay, stops when either end does, and
// reads no faster than the other end; its reader of the program's log does not wait either.
func TestInsideJupyterParts(t *testing.T) {
	in, err := installed()
	must.NoError(t, err)
	if out, err := exec.CommandContext(t.Context(), in.Python, "-X", "dev", "-W", "error", "testdata/extension/parts.py").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// pieces checks that a complete answer is passed on with its headers and length, and that a stream begins at once,
// however little it contains.
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
