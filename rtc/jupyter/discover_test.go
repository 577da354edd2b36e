package jupyter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// fakeJupyter answers status requests with one token only; if the token is empty it requires a password.
func fakeJupyter(t *testing.T, token string) string {
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token == "" || r.Header.Get("Authorization") != "token "+token {
			answer(403, "application/json", `{"message":"Forbidden"}`)(w, r)
			return
		}
		answer(200, "application/json", `{"connections":0}`)(w, r)
	}))
	t.Cleanup(hs.Close)
	return hs.URL
}

func TestDiscover(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir(), "/no/such/folder"}
	write := func(dir int, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dirs[dir], name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	info := func(url, token, root string, pid int) string {
		return fmt.Sprintf(`{"url":%q,"token":%q,"root_dir":%q,"pid":%d,"version":"2.21.1","password":false,"port":1,"secure":false}`, url, token, root, pid)
	}
	live, other, locked := fakeJupyter(t, "t1"), fakeJupyter(t, "t2"), fakeJupyter(t, "")
	dead := httptest.NewServer(nil)
	dead.Close()
	write(0, "jpserver-1.json", info(live+"/", "t1", "/home/a", 1))
	write(1, "jpserver-2.json", info(other+"/", "t2", "/home/b", 2))
	write(0, "jpserver-3.json", info(dead.URL+"/", "t3", "/home/c", 3))
	write(0, "jpserver-4.json", info(live+"/", "old token of a crashed server on the same port", "/home/d", 4))
	write(0, "jpserver-5.json", strings.Replace(info(locked+"/", "", "/home/e", 5), `"password":false`, `"password":true`, 1))
	write(0, "jpserver-6.json", `{"url":`)
	write(0, "jpserver-7.json", info("http+unix://%2Ftmp%2Fx", "t", "/home/f", 7))
	write(0, "jpserver-8.json", info(live+"/", "t1", strings.Repeat("x", maxRuntimeFile), 8))
	write(0, "jpserver-1-open.html", "<html>")
	write(0, "nbserver-9.json", info(live+"/", "t1", "/home/g", 9))
	if err := os.Mkdir(filepath.Join(dirs[0], "jpserver-10.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := Discover(t.Context(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	want := []Running{
		{URL: live, Token: "t1", Root: "/home/a", PID: 1, Version: "2.21.1"},
		{URL: other, Token: "t2", Root: "/home/b", PID: 2, Version: "2.21.1"},
		{URL: locked, Root: "/home/e", PID: 5, Version: "2.21.1", Password: true},
	}
	slices.SortFunc(want, func(a, b Running) int { return strings.Compare(a.URL, b.URL) })
	if !slices.Equal(got, want) {
		t.Errorf("found %+v, want %+v", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Discover(ctx, dirs); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A server that is busy for a while is found if it is the only one; if another one answers, Discover does not wait
// until the end.
func TestDiscoverBusy(t *testing.T) {
	t.Parallel() // it waits for seconds
	file := func(dir, url string) {
		t.Helper()
		text := fmt.Sprintf(`{"url":%q,"token":"t","root_dir":"/home/a","pid":1}`, url)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("jpserver-%s.json", url[len(url)-5:])), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := make(chan struct{}, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(3 * probeTimeout / 2):
		case <-r.Context().Done():
			left <- struct{}{}
		}
		answer(200, "application/json", `{"connections":0}`)(w, r)
	}))
	defer slow.Close()
	dir := t.TempDir()
	file(dir, slow.URL)
	got, err := Discover(t.Context(), []string{dir})
	must.NoError(t, err)
	must.SliceLen(t, 1, got)
	test.Eq(t, slow.URL, got[0].URL)
	live := fakeJupyter(t, "t")
	file(dir, live)
	got, err = Discover(t.Context(), []string{dir})
	must.NoError(t, err)
	must.SliceLen(t, 1, got)
	test.Eq(t, live, got[0].URL)
	<-left
}

// A real server is found through its file, and no longer after it was killed and left the file behind.
func TestDiscoverReal(t *testing.T) {
	s := jupytertest.Start(t, jupytertest.WithBaseURL("/user/ada/"))
	t.Setenv("JUPYTER_RUNTIME_DIR", s.RuntimeDir)
	got, err := Discover(t.Context(), nil)
	must.NoError(t, err)
	must.SliceLen(t, 1, got)
	r := got[0]
	test.Eq(t, s.URL, r.URL)
	test.Eq(t, s.Token, r.Token)
	test.Eq(t, s.Root, r.Root)
	test.Eq(t, s.PID, r.PID)
	test.NotEq(t, "", r.Version)
	s.Kill()
	if files, _ := filepath.Glob(filepath.Join(s.RuntimeDir, "jpserver-*.json")); len(files) != 1 {
		t.Fatalf("the killed server left the files %q: this test is of a file left behind", files)
	}
	got, err = Discover(t.Context(), nil)
	must.NoError(t, err)
	test.SliceEmpty(t, got)
}

func TestRuntimeDirs(t *testing.T) {
	for _, tt := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", nil, "/home/ada/.local/share/jupyter/runtime"},
		{"linux", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/jupyter/runtime"},
		{"linux", map[string]string{"JUPYTER_DATA_DIR": "/j", "XDG_DATA_HOME": "/data"}, "/j/runtime"},
		{"linux", map[string]string{"JUPYTER_RUNTIME_DIR": "/r", "JUPYTER_DATA_DIR": "/j"}, "/r"},
		{"darwin", map[string]string{"XDG_DATA_HOME": "/data"}, "/home/ada/Library/Jupyter/runtime"},
		{"windows", map[string]string{"APPDATA": "/roaming"}, "/roaming/jupyter/runtime"},
		{"windows", nil, "/home/ada/.jupyter/data/runtime"},
	} {
		got := runtimeDirs(tt.goos, func(k string) string { return tt.env[k] }, func() (string, error) { return "/home/ada", nil })
		must.SliceLen(t, 1, got)
		test.Eq(t, tt.want, filepath.ToSlash(got[0]))
	}
	none := runtimeDirs("linux", func(string) string { return "" }, func() (string, error) { return "", errors.New("no home") })
	if len(none) != 0 {
		t.Errorf("without a home: %q", none)
	}
}
