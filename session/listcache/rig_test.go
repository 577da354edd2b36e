package listcache_test

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/listcache"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/sessiontest"
)

const contents = "/api/contents"

// A rig has the lists of a server, and counts its requests.
type rig struct {
	t     *testing.T
	m     *session.Manager
	lists *listcache.Lists
	files *files.Files
	other *jupyter.Server // another client's
	s     *jupytertest.Server
	dir   string

	asked atomic.Int32 // requests that read, and no connections

	mu    sync.Mutex
	first func(w http.ResponseWriter, r *http.Request) bool // handles the next list request; reports whether it answers
	after func()                                            // called before the answer to that is passed on
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, s: jupytertest.Shared(t)}
	r.m = sessiontest.Manager(t, sessiontest.Front(t, r.s, r.front), session.Config{})
	r.lists, r.files, r.other = r.m.Servers().Lists, files.New(r.m), sessiontest.Server(t, r.s)
	r.dir = r.s.Name(t, "-folder")
	for _, sub := range []string{"", "/a", "/b", "/c", "/d", "/e"} {
		r.s.Write(t, r.dir+sub+"/n.ipynb", "{}")
	}
	return r
}

// front is the proxy before the server.
func (r *rig) front(next *httputil.ReverseProxy) http.Handler {
	next.ModifyResponse = func(res *http.Response) error {
		if f := r.once(&r.after, res.Request); f != nil {
			f()
		}
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodGet && !strings.HasSuffix(req.URL.Path, "/channels") {
			r.asked.Add(1)
		}
		r.mu.Lock()
		f := r.first
		if lists(req) {
			r.first = nil
		}
		r.mu.Unlock()
		if f == nil || !lists(req) || !f(w, req) {
			next.ServeHTTP(w, req)
		}
	})
}

func lists(req *http.Request) bool {
	return req.Method == http.MethodGet && strings.HasPrefix(req.URL.Path, contents) && req.URL.Query().Get("content") == "1"
}

func (r *rig) once(f *func(), req *http.Request) func() {
	if !lists(req) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := *f
	*f = nil
	return now
}

// set sets the next handler.
func (r *rig) set(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

// walk returns the files below the folder, and how many requests that took.
func (r *rig) walk() (paths string, requests int) {
	r.t.Helper()
	before := r.asked.Load()
	found, note, err := files.Walk(r.t.Context(), r.lists, files.Search{
		Root: jupyter.MustPath(r.dir), Depth: files.MaxDepth, What: "file", Wants: func(c jupyter.Content) bool { return c.Type != "directory" },
	})
	must.NoError(r.t, err)
	must.Eq(r.t, "", note.String())
	for _, c := range found {
		paths += strings.TrimPrefix(c.Path.String(), r.dir+"/") + " "
	}
	return paths, int(r.asked.Load() - before)
}

// shows checks that the file is listed at once, or is not.
func (r *rig) shows(name string, want bool) {
	r.t.Helper()
	if paths, _ := r.walk(); strings.Contains(" "+paths, " "+name+" ") != want {
		r.t.Errorf("%s is to be listed: %t; listed are %s", name, want, paths)
	}
}

// settled walks until a walk costs nothing: no request is in progress any more.
func (r *rig) settled() {
	r.t.Helper()
	r.within(time.Minute, "a walk that costs nothing", func() bool {
		_, n := r.walk()
		return n == 0
	})
}

// within checks that something comes true in time.
func (r *rig) within(limit time.Duration, what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// upload writes a file through the Contents API as another client.
func (r *rig) upload(name string) {
	r.t.Helper()
	if _, err := r.other.Contents.Put(r.t.Context(), r.at(name), text("x")); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) at(name string) jupyter.Path {
	return jupyter.MustPath(fmt.Sprintf("%s/%s", r.dir, name))
}

func text(s string) jupyter.NewContent {
	return jupyter.NewContent{Type: "file", Format: "text", Content: s}
}
