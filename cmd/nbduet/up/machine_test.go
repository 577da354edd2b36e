package up_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/cmd/nbduet/up"
)

// A machine has only the programs and files that the test adds.
type machine struct {
	t      *testing.T
	dir    string
	folder string // with spaces and umlauts
	env    map[string]string
	lines  []string // the commands that connect clients
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must.NoError(t, err)
	m := &machine{t: t, dir: dir, folder: filepath.Join(dir, "my Übungen"), env: map[string]string{}, lines: []string{"claude mcp add nbduet", "code --add-mcp nbduet"}}
	for _, name := range []string{"bin", "runtime", "records", "my Übungen"} {
		must.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(dir, "runtime"))
	t.Setenv("NBDUET_FAKE", filepath.Join(dir, "records"))
	t.Setenv("GORACE", "atexit_sleep_ms=0") // for the fakes
	return m
}

// has adds a program to PATH.
func (m *machine) has(name string, f fake) {
	m.t.Helper()
	must.NoError(m.t, put(filepath.Join(m.dir, "bin"), name, f))
}

// environment creates a virtual environment in a folder, and returns the folder.
func (m *machine) environment(dir string, f fake) string {
	m.t.Helper()
	must.NoError(m.t, put(filepath.Join(dir, "bin"), "python", f))
	return dir
}

// records returns the lines that the fakes have written.
func (m *machine) records(name string) []string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, "records", name))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// made returns nbduet's own environments, complete or not.
func (m *machine) made() (names []string) {
	m.t.Helper()
	all, err := filepath.Glob(filepath.Join(m.dir, "data", "jupyter-*"))
	must.NoError(m.t, err)
	for _, name := range all {
		if !strings.HasSuffix(name, ".lock") {
			names = append(names, name)
		}
	}
	return names
}

// A run is one run of nbduet up.
type run struct {
	out, errs *written
	stop      context.CancelFunc
	ended     chan struct{}
	err       error
}

// up runs the command, by default in the machine's folder.
func (m *machine) up(u up.Up, folders ...string) *run {
	m.t.Helper()
	if folders == nil {
		folders = []string{m.folder}
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &run{out: &written{}, errs: &written{}, stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		r.err = u.Run(ctx, folders, up.Machine{
			Data: filepath.Join(m.dir, "data"), State: filepath.Join(m.dir, "state"), Version: "1.2.3",
			Env:   func(name string) string { return m.env[name] },
			Lines: func() []string { return m.lines }, Self: "'/x y/nbduet'", Note: "Built from source.",
		}, r.out, r.errs)
	}()
	m.t.Cleanup(func() {
		stop()
		<-r.ended
	})
	return r
}

// serving waits until the command prints that its server is running.
func (m *machine) serving(r *run) {
	m.t.Helper()
	m.until(r, func() bool { return strings.Contains(r.out.String(), "Ctrl-C stops it") })
}

func (m *machine) until(r *run, is func() bool) {
	m.t.Helper()
	for !is() {
		select {
		case <-r.ended:
			m.t.Fatalf("it has ended: %v; it said %s%s", r.err, r.out, r.errs)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// end ends the command, and returns its error.
func (r *run) end() error {
	r.stop()
	<-r.ended
	return r.err
}

// fails waits for the end of a command that has to fail, with one line that contains all these words.
func (m *machine) fails(r *run, mistake bool, words ...string) {
	m.t.Helper()
	<-r.ended
	var usage options.UsageError
	must.Error(m.t, r.err)
	must.Eq(m.t, mistake, errors.As(r.err, &usage))
	for _, word := range words {
		if !strings.Contains(r.err.Error(), word) {
			m.t.Errorf("%q is not in %q", word, r.err)
		}
	}
	if r.out.String() != "" {
		m.t.Errorf("it wrote %q", r.out)
	}
}

// nothingRuns checks that no server has left its file, and that no environment exists.
func (m *machine) nothingRuns() {
	m.t.Helper()
	left, err := filepath.Glob(filepath.Join(m.dir, "runtime", "*"))
	must.NoError(m.t, err)
	if len(left) > 0 {
		m.t.Errorf("left are %q", left)
	}
}

// written is a buffer for two goroutines.
type written struct {
	mu sync.Mutex
	b  bytes.Buffer
}

var _ io.Writer = (*written)(nil)

func (w *written) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}
