package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/nbduet/nbduet/e2e/gotest"
)

// step is a running or finished target.
type step struct {
	name   string
	aside  bool   // beside the others; its output is kept until the gate waits for it
	logs   string // the output of its tests
	begun  time.Time
	output lockedBuffer

	ended chan struct{} // closed at the end; the other fields may be read then
	took  time.Duration
	err   error
}

// start starts a target of the Makefile in this folder.
func (g *gate) start(name string, aside bool) *step {
	s := &step{name: name, aside: aside, logs: filepath.Join(g.logs, name), begun: time.Now(), ended: make(chan struct{})}
	g.mu.Lock()
	g.steps = append(g.steps, s)
	g.mu.Unlock()
	cmd := exec.Command("make", "--no-print-directory", name)
	cmd.Env = append(os.Environ(), "NBDUET_TEST_LOG="+s.logs)
	cmd.Stdout, cmd.Stderr = g.out, g.out
	if aside {
		cmd.Stdout, cmd.Stderr = &s.output, &s.output
	}
	// Processes that outlive make may hold its output open.
	cmd.WaitDelay = 5 * time.Second
	s.err = os.MkdirAll(s.logs, 0o755)
	if s.err == nil {
		s.err = g.begin(cmd)
	}
	if s.err != nil {
		close(s.ended)
		return s
	}
	go func() {
		defer close(s.ended)
		s.err = cmd.Wait()
		s.took = time.Since(s.begun)
		g.mu.Lock()
		delete(g.own, cmd.Process.Pid)
		g.mu.Unlock()
	}()
	return s
}

// begin starts a process and registers it as one that is waited for, before its end can be seen.
func (g *gate) begin(cmd *exec.Cmd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if g.own == nil {
		g.own = map[int]bool{}
	}
	g.own[cmd.Process.Pid] = true
	return nil
}

// over reports whether the step has ended.
func (s *step) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// show prints the output of a step that ran beside the others.
func (s *step) show(w io.Writer, waited time.Duration) {
	fmt.Fprintf(w, "== %s, beside the others (waited for %s)\n%s", s.name, waited.Round(time.Second), s.output.String())
}

// tests reads the output of the step's tests so far.
func (s *step) tests() (*gotest.Log, error) {
	l := gotest.NewLog()
	files, err := filepath.Glob(filepath.Join(s.logs, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the tests of %s: %w", s.name, err)
		}
		err = l.Read(f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// lockedBuffer is a buffer that can be read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
