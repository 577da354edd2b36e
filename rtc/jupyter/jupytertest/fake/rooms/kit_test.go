package rooms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder is a folder of files with ids.
type folder struct {
	root string
	mu   sync.Mutex
	ids  map[string]string // path by id
	made int               // number of ids
}

func newFolder(t testing.TB) *folder { return &folder{root: t.TempDir(), ids: map[string]string{}} }

func (f *folder) Path(id string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path, ok := f.ids[id]
	return path, ok
}

func (f *folder) id(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, p := range f.ids {
		if p == path {
			return id
		}
	}
	f.made++
	id := fmt.Sprintf("id-%d", f.made)
	f.ids[id] = path
	return id
}

func (f *folder) rename(path, to string) error {
	id := f.id(path)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids[id] = to
	return os.Rename(f.os(path), f.os(to))
}

func (f *folder) erase(path string) error {
	id := f.id(path)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.ids, id)
	return os.Remove(f.os(path))
}

func (f *folder) os(path string) string { return filepath.Join(f.root, filepath.FromSlash(path)) }

func (f *folder) Load(path, _, typ string) ([]byte, Info, error) {
	stat, err := os.Stat(f.os(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Info{}, &HTTPError{Status: http.StatusNotFound, Message: "No such file or directory: " + path}
	case err != nil:
		return nil, Info{}, err
	case stat.IsDir():
		return nil, Info{}, &HTTPError{Status: http.StatusBadRequest, Message: path + " is a directory, not a " + typ}
	}
	info, err := f.Stat(path)
	if err != nil {
		return nil, Info{}, err
	}
	b, err := os.ReadFile(f.os(path))
	return b, info, err
}

func (f *folder) Store(path string, content []byte) (Info, error) {
	if err := os.WriteFile(f.os(path), content, 0o644); err != nil {
		return Info{}, err
	}
	return f.Stat(path)
}

func (f *folder) Stat(path string) (Info, error) {
	stat, err := os.Stat(f.os(path))
	if err != nil {
		return Info{}, &HTTPError{Status: http.StatusNotFound, Message: err.Error()}
	}
	b, err := os.ReadFile(f.os(path))
	if err != nil {
		return Info{}, err
	}
	sum := sha256.Sum256(b)
	return Info{Modified: stat.ModTime(), Writable: stat.Mode()&0o200 != 0, Hash: hex.EncodeToString(sum[:])}, nil
}

// network is an HTTP server over pipes, which works within a bubble of testing/synctest.
type network struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

func (n *network) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (n *network) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

// world is a table with a server and a folder.
type world struct {
	*Table
	*folder
	t   *testing.T
	net *network
}

func newWorld(t *testing.T, cfg Config) *world {
	f := newFolder(t)
	cfg.Files = f
	return serveRooms(t, f, New(cfg))
}

func serveRooms(t *testing.T, f *folder, table *Table) *world {
	w := &world{Table: table, folder: f, t: t, net: &network{conns: make(chan net.Conn), done: make(chan struct{})}}
	srv := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		id := r.URL.EscapedPath()[strings.LastIndex(r.URL.EscapedPath(), "/")+1:]
		w.ServeRoom(rw, r, id, r.URL.Query().Get("sessionId"))
	})}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = srv.Serve(w.net)
	}()
	t.Cleanup(func() {
		w.Close()
		_ = srv.Close()
		<-stopped
	})
	return w
}

// write writes a file into the folder and returns its path.
func (w *world) write(path, content string) string {
	w.t.Helper()
	replaceFile(w.t, w.os(path), content)
	return path
}

// replaceFile replaces a file atomically, and makes it newer than before, because the disk's clock may not have
// advanced.
func replaceFile(t *testing.T, name, content string) {
	t.Helper()
	was, old := os.Stat(name)
	if err := os.WriteFile(name+"~", []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if is, err := os.Stat(name + "~"); err != nil {
		t.Fatal(err)
	} else if old == nil && !is.ModTime().After(was.ModTime()) {
		newer := was.ModTime().Add(10 * time.Millisecond)
		if err := os.Chtimes(name+"~", newer, newer); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(name+"~", name); err != nil {
		t.Fatal(err)
	}
}

func (w *world) file(path string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.os(path))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// join connects a client to the room of a notebook, or of a text if the path does not end in .ipynb.
func (w *world) join(path string) *peer {
	w.t.Helper()
	p, err := dialRoom(w.t, websocket.Dialer{NetDialContext: w.net.dial}, "ws://server/api/collaboration/room/"+w.roomOf(path)+"?sessionId=s")
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) roomOf(path string) string {
	if strings.HasSuffix(path, ".ipynb") {
		return "json:notebook:" + w.id(path)
	}
	return "text:file:" + w.id(path)
}
