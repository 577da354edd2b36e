package jupyter

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

func TestSourceHash(t *testing.T) {
	for source, want := range map[string]string{
		"":                        "0",
		"a":                       "2456313694",
		"ab":                      "446775395",
		"abc":                     "324500635",
		"abcd":                    "646393889",
		"print('é😀')\n1+1":        "2355962545",
		strings.Repeat("x", 1001): "740088433",
	} {
		if got := sourceHash(source); got != want {
			t.Errorf("%q: %s, want %s", source, got, want)
		}
	}
}

// A server with jupyter-server-documents returns a session without an id, and runs cells.
func TestServerDocuments(t *testing.T) {
	const html, js = "text/html", "application/json"
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/base/api/collaboration/session/x.ipynb":
			answer(404, html, "<h1>404</h1>")(w, r)
		case "/base/api/fileid/index":
			answer(200, js, `{"id":"f1","path":"x.ipynb"}`)(w, r)
		case "/base/api/kernels/k1/execute":
			b, err := io.ReadAll(r.Body)
			var body struct {
				Document string `json:"document_id"`
				Cells    []struct {
					ID   string `json:"cell_id"`
					Hash string `json:"source_hash"`
				} `json:"cells"`
			}
			if err := errors.Join(err, json.Unmarshal(b, &body)); err != nil || body.Document != "json:notebook:f1" || len(body.Cells) != 1 {
				t.Errorf("asked for %s: %v", b, err)
			}
			switch body.Cells[0].ID {
			case "changed":
				answer(409, js, `{"error":"source_mismatch","cell_id":"changed"}`)(w, r)
			case "detached":
				answer(400, js, `{"message":"YNotebookRoom is not connected to a kernel"}`)(w, r)
			case "missing":
				answer(400, js, `{"message":"Cell 'missing' not found in document"}`)(w, r)
			default:
				answer(200, js, "null")(w, r)
			}
		default:
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
	})
	c, err := s.Rooms.Session(t.Context(), MustPath("x.ipynb"), "json", "notebook")
	must.NoError(t, err)
	must.True(t, c.Documents)
	must.Eq(t, "", c.SessionID)
	must.Eq(t, "json:notebook:f1", c.RoomID())
	for cell, want := range map[string]error{"c": nil, "changed": ErrConflict, "detached": ErrDetached, "missing": ErrBadRequest} {
		if err := s.Kernels.ExecuteCell(t.Context(), "k1", c.RoomID(), cell, "1+1"); !errors.Is(err, want) {
			t.Errorf("run %s: %v, want %v", cell, err, want)
		}
	}
}
