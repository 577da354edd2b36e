package packages

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// TestUp uses a machine with only a Python: nbduet up installs a JupyterLab there and starts it, a client works in it,
// and at the end none of its processes runs.
func TestUp(t *testing.T) {
	t.Parallel()
	nbduet, err := agent.Build(kit.Root, t.TempDir())
	must.NoError(t, err)
	base := wheelBase(t)
	t.Run("pip", func(t *testing.T) { newBare(t, nbduet, "NBDUET_PYTHON="+base).works("with pip") })
	t.Run("uv", func(t *testing.T) {
		wheelRun(t, os.Environ(), filepath.Join(kit.Root, "e2e", "scripts", "alone.sh"), "wheel-test", filepath.Join(kit.Root, "packaging", "python", "tools.sh"), "test")
		b := newBare(t, nbduet, "NBDUET_PYTHON="+base)
		must.NoError(t, os.Symlink(filepath.Join(kit.Root, ".cache", "wheel-test", "bin", "uv"), filepath.Join(b.home, "bin", "uv")))
		b.works("with uv")
	})
}

// bare is the machine of a user who has set up nothing.
type bare struct {
	t      *testing.T
	nbduet string
	home   string
	folder string
	env    []string
}

func newBare(t *testing.T, nbduet string, more ...string) *bare {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must.NoError(t, err)
	b := &bare{t: t, nbduet: nbduet, home: home, folder: filepath.Join(home, "dir with spaces and ümlaut")}
	bin := filepath.Join(home, "bin")
	for _, dir := range []string{bin, b.folder} {
		must.NoError(t, os.Mkdir(dir, 0o700))
	}
	b.env = append(append(lab.CleanEnv(), more...), "HOME="+home, "PATH="+bin, "DISPLAY=", "WAYLAND_DISPLAY=")
	text, err := json.Marshal(map[string]any{
		"cells": []any{}, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
	})
	must.NoError(t, err)
	must.NoError(t, os.WriteFile(b.notebook(), text, 0o600))
	return b
}

func (b *bare) notebook() string { return filepath.Join(b.folder, "näme.ipynb") }

// start runs nbduet up in the folder.
func (b *bare) start() *agent.Process {
	b.t.Helper()
	r, err := agent.Spawn(agent.Options{Binary: b.nbduet, Args: []string{"up", "--own", "--no-browser", b.folder}, Env: b.env, Words: true})
	must.NoError(b.t, err)
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = new(bytes.Buffer).ReadFrom(r.Stdout) // the process keeps its output
	}()
	b.t.Cleanup(func() {
		r.Kill()
		<-read
	})
	return r
}

var upAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/lab\n`)

// says waits until the command has printed words.
func (b *bare) says(r *agent.Process, words string) {
	b.t.Helper()
	must.NoError(b.t, poll.Until(b.t.Context(), "nbduet up to say "+words, func(context.Context) error {
		select {
		case <-r.Exited():
			b.t.Fatalf("nbduet up has ended, and said %s%s", r.Output(), r.Log())
		default:
		}
		if !strings.Contains(string(r.Output()), words) {
			return fmt.Errorf("it said %s%s", r.Output(), r.Log())
		}
		return nil
	}))
}

func (b *bare) works(by string) {
	t := b.t
	t.Helper()
	began := time.Now()
	first := b.start()
	b.says(first, "Ctrl-C stops it")
	t.Logf("from nothing to a server, %s: %.1f s", by, time.Since(began).Seconds())
	if !strings.Contains(first.Log(), by) {
		t.Errorf("it said %s", first.Log())
	}
	b.runsCell()
	test.StrContains(t, wheelRun(t, b.env, b.nbduet, "doctor"), "JupyterLab has the extension of this version")

	second := b.start()
	code, err := second.Wait(time.Minute)
	must.NoError(t, err)
	test.Eq(t, 0, code)
	address := upAddress.Find(first.Output())
	must.NotNil(t, address)
	test.True(t, bytes.Contains(second.Output(), address))
	test.True(t, bytes.Contains(second.Output(), []byte("already runs")))

	if len(b.processes()) < 3 { // nbduet, the server, a kernel
		t.Errorf("there run %v", b.processes())
	}
	must.NoError(t, first.Signal(os.Interrupt))
	code, err = first.Wait(time.Minute)
	must.NoError(t, err)
	test.Eq(t, 0, code)
	if left := b.processes(); len(left) > 0 {
		t.Errorf("there still run %v", left)
	}
	for _, kind := range []string{"jpserver-*", "kernel-*"} {
		left, err := filepath.Glob(filepath.Join(b.home, ".local", "share", "jupyter", "runtime", kind))
		must.NoError(t, err)
		test.LessEq(t, 0, len(left))
	}
}

// runsCell lets a client find the server, write a cell and run it, and waits until the file has it.
func (b *bare) runsCell() {
	t := b.t
	t.Helper()
	a, err := agent.Start(t.Context(), agent.Options{Binary: b.nbduet, Env: b.env})
	must.NoError(t, err)
	defer func() {
		if err := a.Close(); err != nil {
			t.Errorf("%v; its log:\n%s", err, a.Log())
		}
	}()
	ran, err := a.Call(t.Context(), "insert_nb_cells", map[string]any{
		"path": filepath.Base(b.notebook()), "position": 0, "exec": true, "cells": []any{map[string]any{"content": "print(6 * 7)"}},
	})
	must.NoError(t, err)
	must.False(t, ran.IsError)
	must.StrContains(t, ran.Text, "42")
	must.NoError(t, poll.Until(t.Context(), "the file to have the output", func(context.Context) error {
		file, err := os.ReadFile(b.notebook())
		if err == nil && !strings.Contains(string(file), `"42\n"`) {
			err = fmt.Errorf("it has %s", file)
		}
		return err
	}))
}

// processes returns the processes with this home.
func (b *bare) processes() map[int]string { return kit.Processes(b.t, b.home) }
