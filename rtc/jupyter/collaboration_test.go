package jupyter

import (
	"errors"
	"net/http"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// Servers with another room service, or with one that checks whether the file exists.
func TestCollaborationSessionElsewhere(t *testing.T) {
	const html, js = "text/html", "application/json"
	for _, tt := range []struct {
		name           string
		session, index http.HandlerFunc
		kinds, not     []error
		says           string
	}{
		{
			"neither", answer(404, html, "<h1>404</h1>"), answer(404, html, "<h1>404</h1>"),
			[]error{ErrNoCollaboration},
			[]error{ErrNotFound},
			"pip install jupyter-collaboration",
		},
		{
			"a missing file", answer(404, js, `{"message":"File x.ipynb does not exist"}`), answer(404, html, ""),
			[]error{ErrNotFound},
			[]error{ErrNoCollaboration},
			"does not exist",
		},
		{
			"an answer without ids", answer(200, js, `{"format":"json","type":"notebook"}`), answer(404, html, ""),
			[]error{ErrNotJupyter},
			[]error{ErrNoCollaboration},
			"fileId",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPut && r.URL.Path == "/base/api/collaboration/session/x.ipynb":
					tt.session(w, r)
				case r.Method == http.MethodPost && r.URL.Path == "/base/api/fileid/index" && r.URL.Query().Get("path") == "x.ipynb":
					tt.index(w, r)
				case r.URL.Path == "/base/api":
					answer(200, js, `{"version":"2.21.1"}`)(w, r)
				case r.URL.Path == "/base/api/yjs/roomid/x":
					answer(404, html, "")(w, r)
				default:
					t.Errorf("asked for %s %s", r.Method, r.URL)
				}
			})
			_, err := s.Rooms.Session(t.Context(), MustPath("/x.ipynb"), "json", "notebook")
			for _, k := range tt.kinds {
				if !errors.Is(err, k) {
					t.Errorf("error %v does not match %q", err, k)
				}
			}
			for _, k := range tt.not {
				if errors.Is(err, k) {
					t.Errorf("error %v matches %q", err, k)
				}
			}
			must.Error(t, err)
			test.StrContains(t, err.Error(), tt.says)
		})
	}
}
