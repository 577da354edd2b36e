package jupytertest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Start starts a server for one test and stops it at the test's end. The test fails if the server does not start.
func Start(t testing.TB, opts ...Option) *Server {
	t.Helper()
	s, err := launch(opts...)
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

// Connect returns the server that the environment names, if it names one.
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

// Shared returns the test binary's one server: the environment's, or one that is started at the first call.
func Shared(t testing.TB) *Server {
	t.Helper()
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
		} else {
			shared.server, shared.err = launch()
		}
	}
	return shared.server, shared.err
}

// StopShared ends the server that [Shared] started, if it did.
func StopShared() {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.Stop()
		shared.server = nil
	}
}

// Exit ends the shared server and then the process, for TestMain.
func Exit(code int) {
	StopShared()
	os.Exit(code)
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

// Write puts a file below the root, making its folders, and returns name, which is its contents path.
func (s *Server) Write(t testing.TB, name, content string) string {
	t.Helper()
	file := filepath.Join(s.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Read returns the content of a file below the root.
func (s *Server) Read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
