package jupyterhub

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// both runs a test with each version of JupyterHub that the page names.
func both(t *testing.T, test func(t *testing.T, version int)) {
	for _, version := range []int{5, 6} {
		t.Run(fmt.Sprintf("JupyterHub %d", version), func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

// start starts a hub and stops it when the test ends.
func start(t *testing.T, opt hubs.Options) *hubs.Hub {
	t.Helper()
	h, err := hubs.Start(t.Context(), opt)
	must.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the hub's log:\n%s", h.LogTail(150))
		}
		if err := h.Stop(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// joined adds a user with a running server.
func joined(t *testing.T, h *hubs.Hub, user string) (address string) {
	t.Helper()
	must.NoError(t, h.AddUsers(t.Context(), user))
	address, err := h.StartServer(t.Context(), user)
	must.NoError(t, err)
	return address
}

// token makes a token with these scopes.
func token(t *testing.T, h *hubs.Hub, user string, scopes ...string) hubs.Token {
	t.Helper()
	made, err := h.Token(t.Context(), user, scopes...)
	must.NoError(t, err)
	return made
}

// laptop starts the program over stdio with a client's configuration from the page, and closes it when the test ends. It
// has its own home and knows only that configuration. The token must not be in the program's log.
func laptop(t *testing.T, how entry) *agent.Agent {
	t.Helper()
	file := kit.Binary(t)
	if how.Command != "nbduet" {
		t.Fatalf("the page starts %q", how.Command)
	}
	a, err := agent.Start(t.Context(), agent.Options{Binary: file, Env: environment(t, how)})
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if strings.Contains(a.Log(), how.Env["JUPYTER_TOKEN"]) {
			t.Error("the log of nbduet has the token")
		}
		if t.Failed() {
			t.Logf("the log of nbduet:\n%s", a.Log())
		}
	})
	return a
}

// environment returns the program's environment, with its own home.
func environment(t *testing.T, how entry) []string {
	t.Helper()
	env := append(lab.CleanEnv(), "HOME="+t.TempDir())
	for name, value := range how.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// at returns a client's configuration for another server.
func at(address string, token hubs.Token) entry {
	return entry{Command: "nbduet", Env: map[string]string{"JUPYTER_SERVER_URL": address + "/", "JUPYTER_TOKEN": token.Secret}}
}

// do calls a tool that must succeed.
func do(t *testing.T, a *agent.Agent, tool string, args map[string]any, out any) *agent.Answer {
	t.Helper()
	answer, err := a.Do(t.Context(), tool, args, out)
	must.NoError(t, err)
	return answer
}

// sources returns the sources of a notebook's cells, as the program reads them.
func sources(ctx context.Context, a *agent.Agent, path string) (list []string, err error) {
	var got agent.Cells
	if _, err := a.Do(ctx, "read_nb_cells", map[string]any{"path": path}, &got); err != nil {
		return nil, err
	}
	for _, c := range got.Cells {
		list = append(list, c.Source)
	}
	return list, nil
}

// files returns the names of a user's files, without hidden files of programs.
func files(t *testing.T, h *hubs.Hub, user string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(h.Home(user), "[^.]*"))
	must.NoError(t, err)
	return all
}
