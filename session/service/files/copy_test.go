package files_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A file that the server is just writing, and cannot read, is still copied.
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
		other := sessiontest.Manager(t, s, session.Config{})
		open := s.Notebook(t, "x = 1")
		sessiontest.Open(t, other, open)
		for _, path := range []string{open, s.Notebook(t, "x = 1"), s.Write(t, s.Name(t, ".py"), "x = 1")} {
			to := "copy-of-" + path
			if _, err := files.New(m).Copy(t.Context(), jupyter.MustPath(path), jupyter.MustPath(to)); err != nil {
				t.Error(err)
			} else if !sessiontest.FileHas(s, to, "x = 1") {
				t.Errorf("the copy of %s is another", path)
			}
		}
		test.GreaterEq(t, 2, unread.Load())
		test.GreaterEq(t, 2, uncopied.Load())
	})
}

// A file that the server has emptied to write it anew is not copied as an empty one.
func TestCopyOfAnEmptiedFile(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		torn := 0
		m := sessiontest.Manager(t, sessiontest.Front(t, s, func(next *httputil.ReverseProxy) http.Handler {
			next.ModifyResponse = func(r *http.Response) error {
				if r.Request.Method != http.MethodPost || !strings.HasPrefix(r.Request.URL.Path, "/api/contents") || torn > 0 {
					return nil
				}
				torn++
				b, err := io.ReadAll(r.Body)
				if err != nil {
					return err
				}
				r.Body = io.NopCloser(bytes.NewReader(b))
				var made struct{ Path string }
				if err := json.Unmarshal(b, &made); err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(s.Root, made.Path), nil, 0o600)
			}
			return next
		}), session.Config{})
		path, to := s.Write(t, s.Name(t, ".py"), "x = 1"), s.Name(t, ".py")
		if _, err := files.New(m).Copy(t.Context(), jupyter.MustPath(path), jupyter.MustPath(to)); err != nil {
			t.Fatal(err)
		}
		test.Eq(t, 1, torn)
		test.True(t, sessiontest.FileHas(s, to, "x = 1"))
	})
}
