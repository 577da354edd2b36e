package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	// The tests must not use the user's activity.
	dir, err := os.MkdirTemp("", "nbduet-state")
	if err == nil {
		err = os.Setenv("XDG_STATE_HOME", dir)
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(jupytertest.Tests(m), goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// clean removes all variables that the flags read from the environment.
func clean(t *testing.T) {
	t.Helper()
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "NBDUET_") && !strings.HasPrefix(name, "NBDUET_TEST_") && name != "NBDUET_JUPYTER" ||
			strings.HasPrefix(name, "JUPYTER_") || strings.HasPrefix(name, "DOCUMENT_") || strings.HasPrefix(name, "RUNTIME_") || name == "LOG_LEVEL" || name == "MCP_PORT" {
			t.Setenv(name, "") // so that it is restored
			os.Unsetenv(name)
		}
	}
}

// locked is a buffer that may be written by one goroutine and read by another.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// outcome is the result of a run of the program.
type outcome struct {
	code           int
	stdout, stderr string
}

// start runs the program with an empty input.
func start(t *testing.T, find discover, args ...string) outcome {
	t.Helper()
	var out, log locked
	code := runWith(t.Context(), args, strings.NewReader(""), &out, &log, find)
	return outcome{code, out.String(), log.String()}
}

func found(servers ...jupyter.Running) discover {
	return func(context.Context) ([]jupyter.Running, error) { return servers, nil }
}

func (o outcome) is(t *testing.T, code int, says ...string) {
	t.Helper()
	test.Eq(t, code, o.code)
	test.Eq(t, "", o.stdout)
	for _, want := range says {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("stderr does not say %q: %s", want, o.stderr)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	clean(t)
	o := start(t, found(), "--version")
	test.Eq(t, 0, o.code, test.Sprint("--version"))
	test.Eq(t, "", o.stderr, test.Sprint("--version"))
	test.StrHasPrefix(t, "nbduet ", o.stdout, test.Sprint("--version"))
	test.StrContains(t, o.stdout, "go1.", test.Sprint("--version"))
	test.Eq(t, 1, strings.Count(o.stdout, "\n"), test.Sprint("--version"))
	t.Setenv("JUPYTER_TOKEN", "s3cret")
	o = start(t, found(), "--help")
	test.Eq(t, 0, o.code, test.Sprint("--help"))
	test.Eq(t, "", o.stderr, test.Sprint("--help"))
	test.StrNotContains(t, o.stdout, "s3cret", test.Sprint("--help"))
	for _, want := range []string{
		"--jupyter-url", "JUPYTER_SERVER_URL", "--token", "JUPYTER_TOKEN", "--token-file", "--session-timeout", "--max-rooms", "--input-timeout", "--server-timeout", "--answer-within",
		"--max-images", "--max-image-bytes", "--image-cache", "--agent-name", "such as Claude or Cursor", "--toolsets", "notebook, runs, document, rtc, analysis", "--read-only", "--log-level", "LOG_LEVEL", "--log-code", "NBDUET_LOG_CODE", "--allow-agent-passwords", "NBDUET_ALLOW_AGENT_PASSWORDS", "--version",
	} {
		if !strings.Contains(strings.Join(strings.Fields(o.stdout), " "), want) { // the help is wrapped
			t.Errorf("--help does not say %q", want)
		}
	}
}

// The command start accepts all flags, before and after it, and is the default command.
func TestStartCommand(t *testing.T) {
	clean(t)
	wrong := "--transport=carrier-pigeon" // this error is found last
	for _, args := range [][]string{{wrong}, {"start", wrong}, {wrong, "start"}, {"--document-url=http://localhost:1", "start", "--port=4040", wrong}} {
		start(t, found(), args...).is(t, 2, "carrier-pigeon")
	}
	start(t, found(), "start", "--documnt-url=x").is(t, 2, "did you mean \"--document-url\"?", "--help")
	start(t, found(), "--documnt-url=x").is(t, 2, "did you mean \"--document-url\"?", "--help")
	start(t, found(), "starts").is(t, 2, "starts", "did you mean \"start\"?")
	start(t, found(), "serve", "--port=1").is(t, 2, "serve", "nbduet start", "--help")
	start(t, found(), "start", "now").is(t, 2, "now", "nbduet start")
	for _, flag := range []string{"--help", "--version"} {
		o := start(t, found(), "start", flag)
		test.Eq(t, 0, o.code, test.Sprint(flag))
		test.Eq(t, "", o.stderr, test.Sprint(flag))
		test.NotEq(t, "", o.stdout, test.Sprint(flag))
	}
}

func TestWrongFlags(t *testing.T) {
	clean(t)
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"--bogus"}, []string{"--bogus"}},
		{[]string{"extra"}, []string{"extra"}},
		{[]string{"--session-timeout=0"}, []string{"--session-timeout", "0 is not"}},
		{[]string{"--session-timeout=-1"}, []string{"--session-timeout", "-1"}},
		{[]string{"--session-timeout=NaN"}, []string{"--session-timeout", "NaN"}},
		{[]string{"--session-timeout=+Inf"}, []string{"--session-timeout", "+Inf"}},
		{[]string{"--session-timeout=1e400"}, []string{"--session-timeout", "1e400"}},
		{[]string{"--input-timeout=0"}, []string{"--input-timeout", "0 is not"}},
		{[]string{"--input-timeout=NaN"}, []string{"--input-timeout", "NaN"}},
		{[]string{"--input-timeout=1e9"}, []string{"--input-timeout", "86400"}},
		{[]string{"--server-timeout=0"}, []string{"--server-timeout", "0 is not"}},
		{[]string{"--answer-within=-1"}, []string{"--answer-within", "-1 is not"}},
		{[]string{"--answer-within=soon"}, []string{"--answer-within", `"soon"`}},
		{[]string{"--input-timeout=soon"}, []string{"--input-timeout", `"soon"`}},
		{[]string{"--session-timeout=soon"}, []string{"--session-timeout", `"soon"`}},
		{[]string{"--max-rooms=0"}, []string{"--max-rooms", "0"}},
		{[]string{"--agent-name=" + strings.Repeat("x", 201)}, []string{"--agent-name"}},
		{[]string{"--max-images=-1"}, []string{"--max-images", "-1"}},
		{[]string{"--max-image-bytes=9"}, []string{"--max-image-bytes", "9 is not"}},
		{[]string{"--image-cache=0"}, []string{"--image-cache", "0 is not"}},
		{[]string{"--toolsets=notebook,bogus"}, []string{"--toolsets", `"bogus"`, "notebook, runs, document, rtc, analysis, context"}},
		{[]string{"--output-schemas=some"}, []string{"--output-schemas", `"some"`, "full, lean, none"}},
		{[]string{"--answers=prose"}, []string{"--answers", `"prose"`, "text, json"}},
		{[]string{"--project=../up.yaml"}, []string{"--project", "../up.yaml"}},
		{[]string{"--project=/"}, []string{"--project", `"/"`}},
		{[]string{"--log-level=loud"}, []string{"--log-level", `"loud"`, "debug"}},
		{[]string{"--token-file=/no/such/file"}, []string{"--token-file", "/no/such/file"}},
		{[]string{"--token-file=" + empty}, []string{"--token-file", "has no token"}},
		{[]string{"--jupyter-url=localhost:8888"}, []string{"localhost:8888"}},
		{[]string{"--jupyter-url=http://h:1/", "--token=a b"}, []string{"token", "space"}},
	} {
		start(t, found(), c.args...).is(t, exitUsage, append(c.says, "nbduet:")...)
	}
}

func TestSettings(t *testing.T) {
	clean(t)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JUPYTER_SERVER_URL", "http://env:1")
	t.Setenv("JUPYTER_TOKEN", "from-env")
	t.Setenv("LOG_LEVEL", "WARN")
	read := func(args ...string) settings {
		t.Helper()
		s, done, err := parse(args, io.Discard)
		must.NoError(t, err)
		must.False(t, done)
		return s
	}
	s := read()
	test.Eq(t, "http://env:1", s.servers.documents.url, test.Sprint("from the environment"))
	test.Eq(t, "from-env", s.servers.documents.token, test.Sprint("from the environment"))
	test.Eq(t, 5*time.Minute, s.sessionTimeout, test.Sprint("from the environment"))
	test.Eq(t, "WARN", s.logLevel.String(), test.Sprint("from the environment"))
	test.Eq(t, "", s.agentName, test.Sprint("from the environment"))
	must.Nil(t, s.toolsets, must.Sprint("from the environment"))
	test.Eq(t, tools.NoOutputs, s.outputs, test.Sprint("from the environment"))
	test.Eq(t, "", s.answers, test.Sprint("from the environment"))
	test.False(t, s.ReadOnly, test.Sprint("from the environment"))
	test.False(t, s.LogCode, test.Sprint("from the environment"))
	test.False(t, s.AgentPasswords, test.Sprint("from the environment"))
	test.Eq(t, 100, s.MaxRooms, test.Sprint("from the environment"))
	test.Eq(t, time.Minute, s.inputTimeout, test.Sprint("from the environment"))
	test.Eq(t, 10*time.Second, s.serverTimeout, test.Sprint("from the environment"))
	test.Eq(t, 50*time.Second, s.answerWithin, test.Sprint("from the environment"))
	test.Eq(t, "project.yaml", s.project.String(), test.Sprint("from the environment"))
	s = read("--jupyter-url=http://flag:1", "--token=from-flag", "--session-timeout=0.05", "--log-level=debug", "--read-only", "--log-code", "--allow-agent-passwords",
		"--toolsets=rtc", "--agent-name= Ada ", "--max-rooms=3", "--input-timeout=0.5", "--server-timeout=2.5", "--answer-within=0")
	test.Eq(t, "http://flag:1", s.servers.documents.url, test.Sprint("from flags"))
	test.Eq(t, "from-flag", s.servers.documents.token, test.Sprint("from flags"))
	test.Eq(t, 3*time.Second, s.sessionTimeout, test.Sprint("from flags"))
	test.Eq(t, "DEBUG", s.logLevel.String(), test.Sprint("from flags"))
	test.Eq(t, "Ada", s.agentName, test.Sprint("from flags"))
	test.Eq(t, "rtc", strings.Join(s.toolsets, ","), test.Sprint("from flags"))
	test.True(t, s.ReadOnly, test.Sprint("from flags"))
	test.True(t, s.LogCode, test.Sprint("from flags"))
	test.True(t, s.AgentPasswords, test.Sprint("from flags"))
	test.Eq(t, 3, s.MaxRooms, test.Sprint("from flags"))
	test.Eq(t, 500*time.Millisecond, s.inputTimeout, test.Sprint("from flags"))
	test.Eq(t, 2500*time.Millisecond, s.serverTimeout, test.Sprint("from flags"))
	test.Eq(t, 0, s.answerWithin, test.Sprint("from flags"))
	if s = read("--token-file", file); s.servers.documents.token != "from-file" {
		t.Errorf("token = %q", s.servers.documents.token)
	}
}

func TestChoosesTheServer(t *testing.T) {
	clean(t)
	one := jupyter.Running{URL: "http://127.0.0.1:1111", Token: "t0ken-1", Root: "/home/a"}
	two := jupyter.Running{URL: "http://127.0.0.1:2222/x", Token: "t0ken-2", Root: "/home/b"}
	t.Run("none", func(t *testing.T) {
		start(t, found()).is(t, exitOK, "jupyter lab", "JUPYTER_SERVER_URL", "JUPYTER_TOKEN")
	})
	t.Run("several", func(t *testing.T) {
		o := start(t, found(one, two))
		o.is(t, exitOK, "--jupyter-url", one.URL, one.Root, two.URL, two.Root)
		if strings.Contains(o.stderr, "t0ken") {
			t.Errorf("a token is shown: %s", o.stderr)
		}
	})
	t.Run("the search fails", func(t *testing.T) {
		fails := func(context.Context) ([]jupyter.Running, error) { return nil, errors.New("no luck") }
		start(t, fails).is(t, exitOK, "no luck")
		start(t, fails, "--jupyter-url=http://127.0.0.1:1111").is(t, exitOK)
	})
	t.Run("one", func(t *testing.T) {
		o := start(t, found(one))
		o.is(t, exitOK, one.URL, one.Root)
		if strings.Contains(o.stderr, "t0ken") {
			t.Errorf("a token is logged: %s", o.stderr)
		}
	})
	t.Run("its token", func(t *testing.T) {
		for _, c := range []struct {
			name     string
			settings endpoint
			running  []jupyter.Running
			base     string
			token    bool
		}{
			{"found with the server", endpoint{}, []jupyter.Running{one}, one.URL, true},
			{"found for the address", endpoint{url: "http://localhost:2222/x/lab"}, []jupyter.Running{one, two}, "http://localhost:2222/x", true},
			{"of another server", endpoint{url: "http://127.0.0.1:3333"}, []jupyter.Running{one, two}, "http://127.0.0.1:3333", false},
			{"of another prefix", endpoint{url: "http://127.0.0.1:2222/y"}, []jupyter.Running{two}, "http://127.0.0.1:2222/y", false},
			{"in the address", endpoint{url: one.URL + "/lab?token=given"}, nil, one.URL, true},
		} {
			srv, err := connect(t.Context(), c.settings, found(c.running...), reach{}, discard())
			must.NoError(t, err)
			test.Eq(t, c.base, srv.BaseURL())
			test.Eq(t, c.token, srv.HasToken())
		}
		// A given token is not replaced, so no search is needed.
		never := func(context.Context) ([]jupyter.Running, error) { t.Error("searched"); return nil, nil }
		if _, err := connect(t.Context(), endpoint{url: one.URL, token: "given"}, never, reach{}, discard()); err != nil {
			t.Error(err)
		}
	})
}

// program is a running program with pipes, as a client runs it.
type program struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	pipe   *io.PipeReader
	log    locked
	all    locked // everything on stdout
	cancel context.CancelFunc
	code   chan int
}

func launch(t *testing.T, args ...string) *program {
	t.Helper()
	return launchWith(t, found(), args...)
}

func launchWith(t *testing.T, find discover, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stdin, in := io.Pipe()
	pipe, stdout := io.Pipe()
	p := &program{t: t, in: in, pipe: pipe, cancel: cancel, code: make(chan int, 1)}
	p.out = bufio.NewReader(io.TeeReader(pipe, &p.all))
	go func() {
		code := runWith(ctx, args, stdin, stdout, &p.log, find)
		stdout.Close()
		stdin.Close()
		p.code <- code
	}()
	t.Cleanup(func() {
		cancel()
		in.Close()
		pipe.Close()
	})
	return p
}

// ask sends a request and returns the answer.
func (p *program) ask(id int, method string, params any) map[string]any {
	p.t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		p.t.Fatal(err)
	}
	m := p.exchange(string(b))
	if m["id"] != float64(id) {
		p.t.Fatalf("the answer to %s is %v", b, m)
	}
	return m
}

func (p *program) initialize() {
	p.t.Helper()
	m := p.ask(1, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	info, _ := m["result"].(map[string]any)["serverInfo"].(map[string]any)
	test.EqOp[any](p.t, "nbduet", info["name"], test.Sprint(m))
	test.NotEqOp[any](p.t, "", info["version"], test.Sprint(m))
}

func (p *program) tool(id int, name string, args map[string]any) (text string, failed bool) {
	p.t.Helper()
	m := p.ask(id, "tools/call", map[string]any{"name": name, "arguments": args})
	result, ok := m["result"].(map[string]any)
	if !ok {
		p.t.Fatalf("%s answers %v", name, m)
	}
	failed, _ = result["isError"].(bool)
	content := result["content"].([]any)[0].(map[string]any)
	return content["text"].(string), failed
}

// runs waits until a run has printed that it is running.
func (p *program) runs(id int, run string) {
	p.t.Helper()
	var text string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if text, _ = p.tool(id, "get_run", map[string]any{"run_id": run}); strings.Contains(text, "it runs") {
			return
		}
	}
	p.t.Fatalf("%s has not printed within two minutes: %s", run, text)
}

// end waits for the program's exit code. The program sends no unexpected answers, but its notifications may arrive until
// then.
func (p *program) end() int {
	p.t.Helper()
	rest, err := io.ReadAll(p.out)
	for line := range bytes.Lines(rest) {
		var m map[string]any
		bad := json.Unmarshal(line, &m)
		must.NoError(p.t, bad, must.Sprint(line))
		must.NotNil(p.t, m["method"], must.Sprint(line))
		test.Nil(p.t, m["id"], test.Sprint(line))
	}
	if err != nil {
		p.t.Error(err)
	}
	return <-p.code
}

// A server that is down does not delay the start: initialize is answered, and tools return the error.
func TestStartsWithoutTheServer(t *testing.T) {
	clean(t)
	p := launch(t, "--jupyter-url=http://127.0.0.1:9", "--token=any-t0ken")
	p.initialize()
	text, failed := p.tool(2, "list_nbs", nil)
	test.True(t, failed, test.Sprint("list_nbs"))
	test.StrContains(t, text, "http://127.0.0.1:9", test.Sprint("list_nbs"))
	test.StrNotContains(t, text, "any-t0ken", test.Sprint("list_nbs"))
	text, failed = p.tool(3, "get_base_url", nil)
	test.False(t, failed, test.Sprint("get_base_url"))
	test.Eq(t, `{"base_url":"http://127.0.0.1:9"}`, text, test.Sprint("get_base_url"))
	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	if strings.Contains(p.log.String(), "any-t0ken") {
		t.Error("the log holds the token")
	}
}

// The end of the input, and a signal, end the program in order: a running cell does not delay it, edits are saved, and
// stdout has carried only MCP.
func TestEndsInOrder(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	for name, stop := range map[string]func(p *program){
		"stdin closed": func(p *program) { p.in.Close() },
		"signal":       func(p *program) { p.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			path := s.Notebook(t, "1")
			t.Cleanup(func() { shutKernel(t, s, path) })
			p := launch(t, "--jupyter-url="+s.URL, "--token="+s.Token, "--log-level=debug")
			p.initialize()
			text, failed := p.tool(2, "insert_nb_cells", map[string]any{
				"path": path, "position": 1, "cells": []any{map[string]any{"content": "import time; time.sleep(600)"}}, "timeout": 0.5,
			})
			must.False(t, failed, must.Sprint("insert"))
			must.StrContains(t, text, " running, run-", must.Sprint("insert"))
			// A call in progress at the end.
			line := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"execute_nb_cells","arguments":{"path":"` + path + `","ranges":[{"start":0}]}}}`
			if _, err := io.WriteString(p.in, line+"\n"); err != nil {
				t.Fatal(err)
			}
			stop(p)
			read := make(chan struct{})
			go func() {
				defer close(read)
				io.Copy(io.Discard, p.out) // ends with the pipe
			}()
			if code := <-p.code; code != exitOK {
				t.Errorf("exit code %d: %s", code, p.log.String())
			}
			<-read // otherwise half a line would be read as one
			for line := range strings.Lines(p.all.String()) {
				var m map[string]any
				err := json.Unmarshal([]byte(line), &m)
				must.NoError(t, err, must.Sprint(line))
				test.EqOp[any](t, "2.0", m["jsonrpc"], test.Sprint(line))
			}
			if strings.Contains(p.log.String(), s.Token) {
				t.Error("the log holds the token")
			}
			if !strings.Contains(s.Read(t, path), "time.sleep(600)") {
				t.Error("the inserted cell is not in the file")
			}
		})
	}
}

// shutKernel ends the kernel of a notebook on the shared server.
func shutKernel(t *testing.T, s *jupytertest.Server, path string) {
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.CloseIdleConnections()
	sessions, err := srv.Sessions.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range sessions {
		if one.Path.String() == path {
			if err := srv.Kernels.Shutdown(context.Background(), one.Kernel.ID); err != nil {
				t.Error(err)
			}
		}
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
