package serve

import (
	"net/http"
	"strings"
)

// barePath is for clients that were given only the server's address. It serves the same as /mcp.
const barePath = "/"

// looks reports whether a browser requests the bare address for a person. A client asks for a stream of events there.
func looks(r *http.Request) bool {
	if r.URL.Path != barePath || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	accepts := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accepts, "text/html") && !strings.Contains(accepts, eventsType)
}

// introduce describes the server. It needs no token.
func introduce(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	// A failed write needs no handling.
	_, _ = w.Write([]byte("This is nbduet, an MCP server: clients send their requests to /mcp, with a token in the header Authorization.\n"))
}
