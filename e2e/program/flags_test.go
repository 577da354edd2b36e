package program_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// once runs the program to its end with its input closed.
func once(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := kit.Binary(t)
	var out, log strings.Builder
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &log
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), log.String()
}

// flagToken is the token in flagEnv.
const flagToken = "t0ken-of-the-environment"

// flagEnv is an environment that names a missing server.
var flagEnv = append(lab.CleanEnv(), "JUPYTER_SERVER_URL=http://127.0.0.1:9", "JUPYTER_TOKEN="+flagToken)

func TestVersionAndHelp(t *testing.T) {
	if code, out, log := once(t, flagEnv, "--version"); code != 0 || !strings.HasPrefix(out, "nbduet ") || strings.Count(out, "\n") != 1 || log != "" {
		t.Errorf("--version: exit code %d, stdout %q, stderr %q", code, out, log)
	}
	code, out, log := once(t, flagEnv, "--help")
	test.Eq(t, 0, code, test.Sprint("--help"))
	test.Eq(t, "", log, test.Sprint("--help"))
	for _, want := range []string{
		"--jupyter-url", "JUPYTER_SERVER_URL", "--token", "JUPYTER_TOKEN", "--token-file",
		"--session-timeout", "--log-level", "LOG_LEVEL", "--version",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("--help does not name %s:\n%s", want, out)
		}
	}
	if strings.Contains(out, flagToken) {
		t.Error("--help shows the token of the environment")
	}
}

// A mistake on the command line is reported on stderr, with flag and value.
func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--no-such-flag"},
		{"--session-timeout", "soon"},
		{"--session-timeout", "-1"},
		{"--log-level", "loud"},
		{"--token-file", "/no/such/file"},
		{"--jupyter-url", "not a url"},
	} {
		code, out, log := once(t, flagEnv, args...)
		test.NotEq(t, 0, code, test.Sprint(args))
		test.Eq(t, "", out, test.Sprint(args))
		if !strings.Contains(log, strings.TrimLeft(args[0], "-")) && !strings.Contains(log, args[len(args)-1]) {
			t.Errorf("%q: stderr names neither flag nor value: %q", args, log)
		}
	}
}

// A wrong token and a stopped server are tool errors that say what to do; the program itself keeps running.
func TestServerOutOfReach(t *testing.T) {
	for name, args := range map[string][]string{
		"wrong token": {"--jupyter-url", kit.Jupyter(t).URL, "--token", "not-the-token"},
		"down":        {"--jupyter-url", "http://127.0.0.1:9", "--token", "any"},
	} {
		t.Run(name, func(t *testing.T) {
			a := kit.StartAgent(t, args...)
			for tool, with := range map[string]map[string]any{
				"list_nbs":      nil,
				"read_nb_cells": {"path": "a.ipynb"},
			} {
				answer, err := a.Call(t.Context(), tool, with)
				must.NoError(t, err)
				test.True(t, answer.IsError, test.Sprint(tool))
				test.NotEq(t, "", answer.Text, test.Sprint(tool))
				test.StrNotContains(t, answer.Text, "not-the-token", test.Sprint(tool))
				t.Log(answer.Text)
			}
		})
	}
}

// An idle notebook's session ends by itself, and the next call opens another.
func TestIdleEviction(t *testing.T) {
	path := kit.NewNotebook(t, kit.Code("1"))
	a := kit.StartAgent(t, "--session-timeout", "0.05")
	connected := func() (agent.Session, bool) {
		var answer agent.Sessions
		_, err := a.Do(t.Context(), "query_nb_sessions", nil, &answer)
		must.NoError(t, err)
		for _, s := range answer.Sessions {
			if s.Path == path && s.Status == "connected" {
				return s, true
			}
		}
		return agent.Session{}, false
	}
	for range 2 {
		// If the machine hangs for that long, the session has ended before the check.
		must.NoError(t, poll.Until(t.Context(), "a session after a use", func(context.Context) error {
			kit.ReadCells(t, a, path)
			if s, ok := connected(); !ok || s.CellCount != 1 || s.FileID == "" || s.SessionID == "" {
				return fmt.Errorf("%+v", s)
			}
			return nil
		}))
		must.NoError(t, poll.Until(t.Context(), "the session to end by itself", func(context.Context) error {
			if s, ok := connected(); ok {
				return fmt.Errorf("%+v", s)
			}
			return nil
		}))
	}
}

// Without a URL, a single running server is found by Jupyter's runtime folder, with its token. If there are several, the
// error names them; without one, it says so.
func TestFindsServer(t *testing.T) {
	baseURL := func(a *agent.Agent) string {
		var base struct {
			URL string `json:"base_url"`
		}
		_, err := a.Do(t.Context(), "get_base_url", nil, &base)
		must.NoError(t, err)
		_, err = a.Do(t.Context(), "list_nbs", nil, nil) // the token was found too
		must.NoError(t, err)
		return base.URL
	}
	t.Run("one", func(t *testing.T) {
		if got := baseURL(kit.StartAgentAs(t, agent.Options{Env: kit.Jupyter(t).ClientEnv()})); got != kit.Jupyter(t).URL {
			t.Errorf("found %q, want %q", got, kit.Jupyter(t).URL)
		}
	})
	t.Run("a dead one beside it", func(t *testing.T) {
		dir := runtimeDir(t, kit.Jupyter(t).RuntimeDir)
		must.NoError(t, os.WriteFile(filepath.Join(dir, "jpserver-999999.json"),
			[]byte(`{"url":"http://127.0.0.1:9/","token":"x","pid":999999,"root_dir":"/","port":9,"base_url":"/"}`), 0o600))
		if got := baseURL(kit.StartAgentAs(t, agent.Options{Env: runtimeEnv(t, dir)})); got != kit.Jupyter(t).URL {
			t.Errorf("found %q, want %q", got, kit.Jupyter(t).URL)
		}
	})
	t.Run("several", func(t *testing.T) {
		other, err := lab.Start(t.Context(), lab.Options{})
		must.NoError(t, err)
		defer func() { must.NoError(t, other.Stop()) }()
		code, out, log := once(t, runtimeEnv(t, runtimeDir(t, kit.Jupyter(t).RuntimeDir, other.RuntimeDir)))
		// it starts and reports the fault
		test.Eq(t, 0, code)
		test.Eq(t, "", out)
		for _, want := range []string{kit.Jupyter(t).URL, kit.Jupyter(t).Root, other.URL, other.Root, "--jupyter-url"} {
			if !strings.Contains(log, want) {
				t.Errorf("the message does not name %s:\n%s", want, log)
			}
		}
		for _, secret := range []string{kit.Jupyter(t).Token, other.Token} {
			if strings.Contains(log, secret) {
				t.Error("the message holds a token")
			}
		}
	})
	t.Run("none", func(t *testing.T) {
		code, out, log := once(t, runtimeEnv(t, t.TempDir()))
		test.Eq(t, 0, code)
		test.Eq(t, "", out)
		test.StrContains(t, log, "JUPYTER_SERVER_URL")
	})
}

// runtimeDir returns a folder with the server files of the given folders.
func runtimeDir(t *testing.T, from ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, source := range from {
		names, err := filepath.Glob(filepath.Join(source, "jpserver-*.json"))
		must.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			must.NoError(t, err)
			must.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600))
		}
	}
	return dir
}

// runtimeEnv returns an environment whose Jupyter runtime folder is dir.
func runtimeEnv(t *testing.T, dir string) []string {
	return append(kit.Jupyter(t).ClientEnv(), "JUPYTER_RUNTIME_DIR="+dir)
}
