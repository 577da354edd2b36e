package serve

import (
	"net/http"
	"strings"
)

// barePath is where clients come that were given the server's address alone. It serves what /mcp does.
const barePath = "/"

// looks reports whether a person looks at the bare address with a browser. A client asks for a stream of events there.
func looks(r *http.Request) bool {
	if r.URL.Path != barePath || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	accepts := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accepts, "text/html") && !strings.Contains(accepts, eventsType)
}

// introduce says what this is. Nobody needs a token to be told.
func introduce(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	// If it fails, nobody is there to read it.
	_, _ = w.Write([]byte("This is nbduet, an MCP server: clients send their requests to /mcp, with a token in the header Authorization.\n"))
}
