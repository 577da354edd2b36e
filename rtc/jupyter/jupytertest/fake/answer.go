package fake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// httpError is an error with its HTTP answer.
type httpError struct {
	status  int
	message string
	reason  string
}

func (e *httpError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.status, e.message) }

func failed(status int, format string, args ...any) error {
	return &httpError{status: status, message: fmt.Sprintf(format, args...)}
}

// answer writes v as JSON, as Python does.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the client may have disconnected
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null") // all answers can be encoded
	}
	return pyjson.Python(bytes.TrimRight(b.Bytes(), "\n"))
}

// refuse answers as the server's API handlers do when they fail.
func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{"message": message, "reason": nil})
}

// unhandled answers as the server's API handlers do for an unexpected exception.
func unhandled(w http.ResponseWriter) {
	answer(w, http.StatusInternalServerError, map[string]any{"message": "Unhandled error", "reason": nil, "traceback": ""})
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	var e *httpError
	if !errors.As(err, &e) {
		unhandled(w)
		return
	}
	var reason any
	if e.reason != "" {
		reason = e.reason
	}
	answer(w, e.status, map[string]any{"message": e.message, "reason": reason})
}

// page answers with the server's error page, as all handlers outside the API do.
func page(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!DOCTYPE HTML>\n<html><head><title>Jupyter Server</title></head><body><h1>%d : %s</h1></body></html>\n", status, http.StatusText(status))
}

// body decodes a request's JSON into out. An empty body leaves out unchanged.
func body(r *http.Request, out any) error {
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		return failed(http.StatusBadRequest, "Invalid JSON in body of request")
	}
	if strings.TrimSpace(b.String()) == "" {
		return nil
	}
	if err := json.Unmarshal(pyjson.Standard(b.Bytes()), out); err != nil {
		return failed(http.StatusBadRequest, "Invalid JSON in body of request")
	}
	return nil
}

// date formats a time as the server does.
func date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// repr formats a text as Python does.
func repr(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	s = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s)
	if quote == "'" {
		s = strings.ReplaceAll(s, "'", `\'`)
	}
	return quote + s + quote
}
