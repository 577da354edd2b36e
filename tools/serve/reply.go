package serve

import (
	"encoding/json"
	"net/http"
)

// refuse answers with an error.
func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]string{"error": message})
}

// busy answers what cannot be served now.
func busy(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Retry-After", "1")
	refuse(w, status, message)
}

// write answers with JSON.
func write(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil { // an answer of the MCP server's that is no JSON
		status, b = http.StatusInternalServerError, []byte(`{"error":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // what cannot be written any more has nobody to read it
}
