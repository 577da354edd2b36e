package rooms_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// atATime is the default of -parallel: most of each test is waiting for a server, a fault or its end.
const atATime = "6"

func TestMain(m *testing.M) {
	jupytertest.AlwaysReal()
	if err := flag.Set("test.parallel", atATime); err != nil {
		panic(err)
	}
	zerolog.SetGlobalLevel(zerolog.Disabled) // the proxy's faults have their own log
	goleak.VerifyTestMain(tests{m},
		// After limit_data or a timeout has cut a connection, this write has no reader.
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/stream.(*ChanWriter).Write"),
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/toxics.(*NoopToxic).Pipe"))
}

// tests ends the shared processes after the tests.
type tests struct{ *testing.M }

func (m tests) Run() int {
	defer endForeign()
	defer func() { _ = os.RemoveAll(built) }()
	return jupytertest.Tests(m.M).Run()
}

// hasty notices faults sooner than users need.
var hasty = rtc.Timing{
	Join: 20 * time.Second, Ping: 300 * time.Millisecond, Silence: 2 * time.Second,
	BackoffMin: 20 * time.Millisecond, BackoffMax: 500 * time.Millisecond,
}

// agent is a separate manager on a server, like the one of an nbduet process.
type agent struct {
	*session.Manager
	t *testing.T
}

func newAgent(t *testing.T, url, token string) *agent {
	t.Helper()
	return newAgentWith(t, url, token, hasty)
}

// newPatient is for tests in which only the server is slow: it has the default timing, and does not count a server as
// dead that hangs for some seconds.
func newPatient(t *testing.T, url, token string) *agent {
	t.Helper()
	return newAgentWith(t, url, token, rtc.Timing{})
}

func newAgentWith(t *testing.T, url, token string, timing rtc.Timing) *agent {
	t.Helper()
	return newAgentFor(t, url, token, session.Config{Timing: timing})
}

func newAgentFor(t *testing.T, url, token string, cfg session.Config) *agent {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: url, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Server = srv
	m := session.New(cfg)
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), poll.Patience)
		defer stop()
		_ = m.Close(ctx) // the test has already checked the end
		srv.CloseIdleConnections()
	})
	return &agent{Manager: m, t: t}
}

func (a *agent) open(path string) *session.Document {
	a.t.Helper()
	d, err := a.Open(sessiontest.AsClient(a.t.Context()), jupyter.MustPath(path))
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(d.Release)
	return d
}

// ledger records the answers to several agents' insertions of cells.
type ledger struct {
	mu       sync.Mutex
	made     []string // answered as done
	notMade  []string // answered as not made
	unsure   []string // answered as not known
	refused  int      // not tried: the room was disconnected
	surprise []error  // unexpected errors
}

// insert inserts one cell with a unique source into the notebook and records the answer.
func (l *ledger) insert(ctx context.Context, d *session.Document, at int, source string) {
	at %= d.Notebook().Len() + 1
	tried := false
	err := d.Edit(ctx, "insert", func(e *ydoc.Editor) error {
		tried = true
		_, err := e.Insert(min(at, e.Len()), ydoc.NewCell{Type: "code", Source: source})
		return err
	})
	var lost *session.LostError
	var unconfirmed *session.UnconfirmedError
	var end *rtc.CloseError
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.made = append(l.made, source)
	case errors.As(err, &lost):
		l.notMade = append(l.notMade, source)
	case errors.As(err, &unconfirmed):
		l.unsure = append(l.unsure, source)
	case !tried && errors.As(err, &end):
		l.refused++
	default:
		l.surprise = append(l.surprise, err)
	}
}

// check compares a notebook's sources with the answers.
func (l *ledger) check(sources []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := make(map[string]int)
	for _, s := range sources {
		count[s]++
	}
	var errs []error
	for _, s := range l.made {
		if count[s] != 1 {
			errs = append(errs, fmt.Errorf("%q was answered as done and is there %d times", s, count[s]))
		}
	}
	for _, s := range append(l.unsure, l.notMade...) {
		if count[s] > 1 {
			errs = append(errs, fmt.Errorf("%q is there %d times", s, count[s]))
		}
	}
	return errors.Join(append(errs, l.surprise...)...)
}

func (l *ledger) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%d made, %d not made, %d unsure, %d refused", len(l.made), len(l.notMade), len(l.unsure), l.refused)
}

// cells returns each cell as "id source", in order.
func cells(nb *ydoc.Notebook) (all, sources []string) {
	for _, c := range nb.Cells() {
		all = append(all, c.ID+" "+c.Source)
		sources = append(sources, c.Source)
	}
	return all, sources
}

// settles waits until all documents, a new member's and the file are the same, then checks the file and the ledger.
func settles(t *testing.T, s *jupytertest.Server, path string, l *ledger, docs ...*session.Document) {
	t.Helper()
	newcomer := newPatient(t, s.URL, s.Token).open(path)
	docs = append(docs, newcomer)
	file := filepath.Join(s.Root, filepath.FromSlash(path))
	asked := time.Now()
	err := poll.Until(t.Context(), "everybody to have the same notebook", func(ctx context.Context) error {
		want, _ := cells(newcomer.Notebook())
		for i, d := range docs {
			if got, _ := cells(d.Notebook()); strings.Join(got, "\x00") != strings.Join(want, "\x00") {
				return fmt.Errorf("document %d of %d has\n%q\nthe newcomer\n%q", i, len(docs), got, want)
			}
		}
		onDisk, err := nbfile.Read(file)
		if err != nil {
			return err
		}
		var got []string
		for _, c := range onDisk {
			got = append(got, c.ID+" "+string(c.Source))
		}
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			if time.Since(asked) > time.Minute {
				return fmt.Errorf("the file has\n%q\nthe room\n%q; said of it: %q", got, want, newcomer.Unsaved())
			}
			return fmt.Errorf("the file has %d cells, the room %d", len(got), len(want))
		}
		return ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	_, sources := cells(newcomer.Notebook())
	if err := l.check(sources); err != nil {
		t.Errorf("%v\n%v", l, err)
	}
	validate(t, file)
}

func readSources(file string) ([]string, error) {
	onDisk, err := nbfile.Read(file)
	if err != nil {
		return nil, err
	}
	var sources []string
	for _, c := range onDisk {
		sources = append(sources, string(c.Source))
	}
	return sources, nil
}

// validate checks a notebook file. The server writes files in place, so a read may get a partial file; the next read
// gets all of it.
func validate(t *testing.T, file string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
	defer stop()
	checker := process(t, pycrdt)
	if err := poll.Until(ctx, "the file to be valid", func(ctx context.Context) error { return checker.validate(ctx, file) }); err != nil {
		t.Error(err)
	}
}

// python returns the interpreter of Jupyter's environment.
func python() string {
	jup := os.Getenv("NBDUET_JUPYTER")
	if jup == "" {
		jup = filepath.Join("..", "..", ".venv", "bin", "jupyter")
	}
	return filepath.Join(filepath.Dir(jup), "python")
}
