package serve

import (
	"fmt"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
)

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
