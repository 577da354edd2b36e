package serve

import (
	"fmt"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
)

// callPath takes bodies that are no JSON-RPC messages.
const callPath = "/tools/call"

// writeFailure answers a message with a JSON-RPC error.
func writeFailure(w http.ResponseWriter, status int, id []byte, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(jsonrpc.Failure(id, mcp.INVALID_REQUEST, why), '\n')) // if it fails, nobody is there to read it
}

// maxBeginning is how many bytes of a body that is too long are searched for the message's id.
const maxBeginning = 64 << 10

// refuseTooLong refuses a body that is too long, of which the beginning may have been read. A message's refusal bears
// the message's id, if that stands near the beginning.
func refuseTooLong(w *writer, r *http.Request, most int64, beginning []byte) {
	why := fmt.Sprintf("the body is longer than %d bytes", most)
	w.Header().Set("Connection", "close")
	if r.URL.Path == callPath {
		Refuse(w, http.StatusRequestEntityTooLarge, why)
		return
	}
	scan := &jsonrpc.IDScan{}
	_, _ = scan.Write(beginning)                             // it does not fail
	if len(beginning) == 0 && r.Header.Get("Expect") == "" { // who waits for 100 sends nothing
		_, _ = io.Copy(scan, io.LimitReader(r.Body, min(maxBeginning, most))) // what does not come has no id
	}
	writeFailure(w, http.StatusRequestEntityTooLarge, scan.ID(), why)
}
