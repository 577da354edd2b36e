package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// asProgram makes this test binary run the program, as a process that can be killed.
const asProgram = "NBDUET_TEST_PROGRAM"

// spawned is the program in its own process.
type spawned struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	ids int
}

func spawn(t *testing.T, args ...string) *spawned {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"--answers=json"}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &spawned{t: t, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	p.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	return p
}

// end ends the process with a signal, or with its input on systems without signals, and waits for its end.
func (p *spawned) end(sig syscall.Signal) {
	if p.cmd.ProcessState != nil {
		return
	}
	if sig != 0 {
		_ = p.cmd.Process.Signal(sig) // it may have ended
	}
	_ = p.in.Close()
	_, _ = io.Copy(io.Discard, p.out)
	_ = p.cmd.Wait() // a killed process returns an error
}

func (p *spawned) ask(method string, params any) map[string]any {
	p.t.Helper()
	p.ids++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.ids, "method": method, "params": params})
	if err == nil {
		_, err = fmt.Fprintf(p.in, "%s\n", b)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			p.t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			p.t.Fatalf("%q: %v", line, err)
		}
		if m["id"] == float64(p.ids) {
			return m
		}
	}
}

// call calls a tool.
func (p *spawned) call(name string, args map[string]any) map[string]any {
	p.t.Helper()
	m := p.ask("tools/call", map[string]any{"name": name, "arguments": args})
	result, _ := m["result"].(map[string]any)
	content, _ := result["content"].([]any)
	must.SliceNotEmpty(p.t, content, must.Sprint(name, m))
	must.NotEqOp[any](p.t, true, result["isError"], must.Sprint(name, m))
	text, _ := content[0].(map[string]any)["text"].(string)
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		p.t.Fatalf("%s answers %v: %v", name, m, err)
	}
	return out
}

// However the program ends, the code keeps running, the cell shows that, and the next program with the same state resumes
// the run by its id. Once that program has opened the notebook, no cell stays running.
func TestTakesUpTheRunsOfTheLast(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	for name, sig := range map[string]syscall.Signal{"stdin closed": 0, "SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "go")
			path := s.Notebook(t, "import os, time\nprint('one', flush=True)\nwhile not os.path.exists('"+file+"'): time.sleep(0.01)\nprint('two')\n6*7", "'behind it'")
			t.Cleanup(func() { shutKernel(t, s, path) })
			flags := []string{"--jupyter-url=" + s.URL, "--token=" + s.Token, "--state=" + filepath.Join(dir, "state.db"), "--log-level=error", "--toolsets=all"}

			first := spawn(t, flags...)
			first.call("read_nb_cells", map[string]any{"path": path})
			began := first.call("execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 0}}, "timeout": 1})
			id := fmt.Sprint(began["execution_results"].([]any)[0].(map[string]any)["run_id"])
			for !strings.Contains(fmt.Sprint(first.call("get_run", map[string]any{"run_id": id})), "one") {
				time.Sleep(20 * time.Millisecond) // a kernel takes seconds to start on a busy machine
			}
			first.call("execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 1}}, "timeout": 0.1})
			first.end(sig)
			if sig != syscall.SIGKILL {
				saved := s.Read(t, path)
				test.StrContains(t, saved, "nbduet left this notebook while this cell ran", test.Sprint("the file says nothing of the end"))
				test.StrContains(t, saved, "not run: nbduet left", test.Sprint("the file says nothing of the end"))
			}

			second := spawn(t, flags...)
			view := second.call("get_run", map[string]any{"run_id": id})
			if fmt.Sprint(view["path"]) != path {
				t.Errorf("get_run: %v", view)
			}
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			view = second.call("wait_run", map[string]any{"run_id": id, "timeout": 60})
			text := fmt.Sprint(view)
			test.StrContains(t, text, "two", test.Sprint("wait_run"))
			test.StrContains(t, text, "42", test.Sprint("wait_run"))
			test.EqOp[any](t, "done", view["state"], test.Sprint("wait_run"))
			listed := second.call("list_runs", map[string]any{"path": path})
			if !strings.Contains(fmt.Sprint(listed), id+" ") && !strings.Contains(fmt.Sprint(listed), "run_id:"+id) {
				t.Errorf("list_runs: %v", listed)
			}
			for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
				cells := fmt.Sprint(second.call("read_nb_cells", map[string]any{"path": path}))
				if strings.Contains(cells, "nbduet was away while this cell ran") && strings.Contains(cells, "two") &&
					strings.Contains(cells, "not run: nbduet") && !strings.Contains(cells, "running") {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("the cells are %s", cells)
				}
			}
		})
	}
}
