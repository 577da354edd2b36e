package files_test

import (
	"net/http"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/files"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A file that the server is just writing, and cannot read, is copied all the same.
func TestCopyReadsAgain(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		var unread, uncopied atomic.Int32
		m := sessiontest.Manager(t, sessiontest.Front(t, s, func(next *httputil.ReverseProxy) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				content := strings.HasPrefix(r.URL.Path, "/api/contents")
				if content && r.Method == http.MethodGet && r.URL.Query().Get("content") == "1" && unread.Add(1) == 1 ||
					content && r.Method == http.MethodPost && uncopied.Add(1) == 1 {
					http.Error(w, `{"message": "Unreadable Notebook"}`, http.StatusBadRequest)
					return
				}
				next.ServeHTTP(w, r)
			})
		}), session.Config{})
		for _, path := range []string{s.Notebook(t, "x = 1"), s.Write(t, s.Name(t, ".py"), "x = 1")} {
			to := "copy-of-" + path
			if _, err := files.New(m).Copy(t.Context(), path, to); err != nil {
				t.Error(err)
			} else if !sessiontest.FileHas(s, to, "x = 1") {
				t.Errorf("the copy of %s is another", path)
			}
		}
		if unread.Load() < 2 || uncopied.Load() < 2 {
			t.Errorf("read %d times, copied %d times: the test shows nothing", unread.Load(), uncopied.Load())
		}
	})
}
