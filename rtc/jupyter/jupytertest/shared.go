package jupytertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Start starts a server for one test and stops it at the test's end. The test fails if the server does not start, and
// is skipped if it needs a feature that a fake lacks.
func Start(t testing.TB, opts ...Option) *Server {
	t.Helper()
	c := configured(opts)
	if _, ok := bubbleOf(t); ok || !Real() {
		return startFake(t, c)
	}
	s, err := launch(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of Jupyter's log:\n%s", s.LogTail())
		}
		s.Stop()
	})
	return s
}

func startFake(t testing.TB, c config) *Server {
	t.Helper()
	if c.needs != "" {
		NeedsReal(t, c.needs)
		t.Fatalf("no fake has %s: leave the bubble", c.needs)
	}
	root := c.root
	if root == "" {
		root = t.TempDir()
	}
	s, err := launchFake(t, root, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Connect returns the server in the environment, if there is one.
func Connect() (*Server, bool) {
	s := &Server{
		URL:   strings.TrimRight(os.Getenv("NBDUET_TEST_SERVER_URL"), "/"),
		Token: os.Getenv("NBDUET_TEST_SERVER_TOKEN"),
		Root:  os.Getenv("NBDUET_TEST_SERVER_ROOT"),
	}
	return s, s.URL != "" && s.Root != ""
}

var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// Shared returns the test binary's shared server: the environment's, or one that is started at the first call. In a
// bubble it returns the bubble's.
func Shared(t testing.TB) *Server {
	t.Helper()
	if b, ok := bubbleOf(t); ok {
		if b.shared == nil {
			b.shared = startFake(t, configured(nil))
		}
		return b.shared
	}
	s, err := SharedServer()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// SharedServer is [Shared] for an Example, which has no [testing.TB].
func SharedServer() (*Server, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		if s, ok := Connect(); ok {
			shared.server = s
		} else if Real() {
			shared.server, shared.err = launch(configured(nil))
		} else {
			shared.server, shared.err = sharedFake()
		}
	}
	return shared.server, shared.err
}

// sharedFake starts a fake that serves a temporary folder.
func sharedFake() (*Server, error) {
	dir, err := os.MkdirTemp("", "nbduet-jupyter-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for Jupyter: %w", err)
	}
	s, err := launchFake(nil, dir, configured(nil))
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	s.dir = dir
	return s, nil
}

// StopShared ends the server that [Shared] started, if any.
func StopShared() {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.Stop()
		shared.server = nil
	}
}

// ending is how long the tests' remaining goroutines may take to end.
const ending = 30 * time.Second

// Tests returns a binary's tests, for TestMain; after them, Run stops the shared server. It returns when no goroutine
// is left that a leak check would find: on a busy machine that takes longer than the check waits.
func Tests(m *testing.M) interface{ Run() int } { return tests{m} }

type tests struct{ *testing.M }

// Run runs the tests.
func (t tests) Run() int {
	code := t.M.Run()
	StopShared()
	for end := time.Now().Add(ending); code == 0 && time.Now().Before(end) && goleak.Find() != nil; {
		time.Sleep(100 * time.Millisecond)
	}
	if misunderstood.fail() {
		code = max(code, 1)
	}
	return code
}

// WithToken returns the server with another token.
func (s *Server) WithToken(token string) *Server {
	other := *s
	other.Token, other.cmd, other.stop, other.dir = token, nil, nil, ""
	return &other
}

// Name returns a file name that no other test uses; ext begins with a dot.
func (s *Server) Name(t testing.TB, ext string) string {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == ' ' || r == '#' {
			return '_'
		}
		return r
	}, t.Name())
	return name + "-" + randomHex(4) + ext
}

// Write writes a file below the root, creating its folders, and returns name, which is its contents path.
func (s *Server) Write(t testing.TB, name, content string) string {
	t.Helper()
	file := filepath.Join(s.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if s.Fake != nil { // in a bubble, the time differs from the system's
		if err := os.Chtimes(file, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// Read returns the content of a file below the root. Both the real server and the fake empty a file before they save
// it, so an empty file, or a notebook that is not valid JSON yet, is read again for a second.
func (s *Server) Read(t testing.TB, name string) string {
	t.Helper()
	var b []byte
	for range 100 {
		var err error
		if b, err = os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
		if len(b) > 0 && (path.Ext(name) != ".ipynb" || json.Valid(b)) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return string(b)
}
