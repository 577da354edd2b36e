package serve

import (
	"encoding/json"
	"net/http"
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
