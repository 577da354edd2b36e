package kernel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// testTimeout bounds a test's waits; nothing here comes near it.
const testTimeout = 60 * time.Second

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	t.Cleanup(cancel)
	return ctx
}

// serverOf returns a client of a test server.
func serverOf(t testing.TB, s *jupytertest.Server) *jupyter.Server {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return srv
}

// startKernel starts a kernel for the test, which ends with it.
func startKernel(t testing.TB, srv *jupyter.Server) string {
	t.Helper()
	k, err := srv.Kernels.Start(testContext(t), "python3", jupyter.Path{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		_ = srv.Kernels.Shutdown(ctx, k.ID) // the test may have done so
	})
	return k.ID
}

// connect connects to a kernel until the end of the test.
func connect(t testing.TB, srv *jupyter.Server, kernelID string) *Conn {
	t.Helper()
	return connectWith(t, srv, kernelID, defaultTiming)
}

func connectWith(t testing.TB, srv *jupyter.Server, kernelID string, tm timing) *Conn {
	t.Helper()
	c, err := dial(testContext(t), srv, kernelID, Options{}, tm)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// recorder records the events of one execution, as lines that are easy to compare.
type recorder struct {
	mu     sync.Mutex
	lines  []string
	notify chan string // gets each line, if not nil
}

func (r *recorder) handle(ev Event) {
	line := describe(ev)
	r.mu.Lock()
	r.lines = append(r.lines, line)
	r.mu.Unlock()
	if r.notify != nil {
		r.notify <- line
	}
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// text joins the printed text.
func (r *recorder) text() string {
	var b strings.Builder
	for _, l := range r.all() {
		if rest, ok := strings.CutPrefix(l, "stdout "); ok {
			b.WriteString(rest)
		}
	}
	return b.String()
}

func describe(ev Event) string {
	switch ev := ev.(type) {
	case Stream:
		return ev.Name + " " + ev.Text
	case Display:
		verb := "display"
		if ev.Update {
			verb = "update"
		}
		return fmt.Sprintf("%s %s %v", verb, ev.DisplayID, ev.Data["text/plain"])
	case Result:
		return fmt.Sprintf("result %d %v", ev.Count, ev.Data["text/plain"])
	case Error:
		return "error " + ev.Error()
	case ClearOutput:
		return fmt.Sprintf("clear %t", ev.Wait)
	case Input:
		return fmt.Sprintf("input %d", ev.Count)
	case InputRequest:
		return fmt.Sprintf("ask %q %t", ev.Prompt, ev.Password)
	case Status:
		return "status " + ev.State
	case RateLimited:
		return "limited"
	case Gap:
		return "gap"
	}
	return fmt.Sprintf("%T", ev)
}
