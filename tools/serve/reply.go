package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
)

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, status int, message string) {
	WriteJSON(w, status, map[string]string{"error": message})
}

// busy refuses a request that cannot be served now, and asks the client to retry.
func busy(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, status, message)
}

// WriteJSON answers with JSON.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil { // the MCP server's answer is not valid JSON
		status, b = http.StatusInternalServerError, []byte(`{"error":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // a failed write needs no handling
}

// callPath accepts bodies that are not JSON-RPC messages.
const callPath = "/tools/call"

// writeFailure answers a message with a JSON-RPC error.
func writeFailure(w http.ResponseWriter, status int, id []byte, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(jsonrpc.Failure(id, mcp.INVALID_REQUEST, why), '\n')) // a failed write needs no handling
}

// maxBeginning is the number of bytes of a too long body that are searched for the message's id.
const maxBeginning = 64 << 10

// refuseTooLong refuses a body that is too long; its beginning may have been read. The refusal of a message has the
// message's id, if that is near the beginning.
func refuseTooLong(w *writer, r *http.Request, most int64, beginning []byte) {
	why := fmt.Sprintf("the body is longer than %d bytes", most)
	w.Header().Set("Connection", "close")
	if r.URL.Path == callPath {
		Refuse(w, http.StatusRequestEntityTooLarge, why)
		return
	}
	scan := &jsonrpc.IDScan{}
	_, _ = scan.Write(beginning)                             // never fails
	if len(beginning) == 0 && r.Header.Get("Expect") == "" { // a client that waits for 100 sends no body
		_, _ = io.Copy(scan, io.LimitReader(r.Body, min(maxBeginning, most))) // missing bytes have no id
	}
	writeFailure(w, http.StatusRequestEntityTooLarge, scan.ID(), why)
}

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
