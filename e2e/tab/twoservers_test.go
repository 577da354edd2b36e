package tab_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// runtimes is a Jupyter server with kernels and without rooms.
type runtimes struct{ *jupytertest.Server }

// sessions returns the paths of its Jupyter sessions by their kernels.
func (r runtimes) sessions(t *testing.T) map[string]string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL+"/api/sessions", nil)
	must.NoError(t, err)
	req.Header.Set("Authorization", "token "+r.Token)
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	defer resp.Body.Close()
	var list []struct {
		Path   string `json:"path"`
		Kernel struct {
			ID string `json:"id"`
		} `json:"kernel"`
	}
	must.NoError(t, json.NewDecoder(resp.Body).Decode(&list))
	paths := map[string]string{}
	for _, s := range list {
		paths[s.Kernel.ID] = s.Path
	}
	return paths
}

// kernels returns the ids of the kernels of the documents' server.
func kernels(t *testing.T) (ids []string) {
	t.Helper()
	var list []struct {
		ID string `json:"id"`
	}
	must.NoError(t, kit.Jupyter(t).Get(t.Context(), "/api/kernels", &list))
	for _, k := range list {
		ids = append(ids, k.ID)
	}
	return ids
}

// startApart runs the program with documents on the shared server and kernels on r.
func (r runtimes) startApart(t *testing.T, runtimeToken string, args ...string) *agent.Agent {
	t.Helper()
	a := kit.StartAgentAs(t, agent.Options{Args: args, Env: append(lab.CleanEnv(), "HOME="+t.TempDir(),
		"DOCUMENT_URL="+kit.Jupyter(t).URL, "DOCUMENT_TOKEN="+kit.Jupyter(t).Token, "RUNTIME_URL="+r.URL, "RUNTIME_TOKEN="+runtimeToken)})
	t.Cleanup(func() {
		if strings.Contains(a.Log(), runtimeToken) {
			t.Error("the log of nbduet holds the runtime server's token")
		}
	})
	return a
}

// Documents are on one server, which people have open, and kernels on another with its own files.
func TestTwoServers(t *testing.T) {
	ctx := t.Context()
	r := runtimes{jupytertest.Start(t, jupytertest.WithoutCollaboration(), jupytertest.WithBaseURL("/runtimes/"))}
	path := kit.NewNotebook(t, kit.Code("import os; x = 41\nprint(os.getcwd())"))
	before := kernels(t)
	nbduet := r.startApart(t, r.Token, "--log-level=debug")

	var base struct {
		URL     string `json:"base_url"`
		Runtime string `json:"runtime_url"`
	}
	_, err := nbduet.Do(ctx, "get_base_url", nil, &base)
	must.NoError(t, err)
	test.Eq(t, kit.Jupyter(t).URL, base.URL)
	test.Eq(t, r.URL, base.Runtime)
	var out agent.Executed
	_, err = nbduet.Do(ctx, "execute_nb_cells", execute(path, 0), &out)
	must.NoError(t, err)
	got := out.ExecutionResults[0]
	test.Eq(t, "done", got.State, test.Sprint("the first cell"))
	must.SliceLen(t, 1, got.Outputs, must.Sprint("the first cell"))
	test.Eq(t, r.Root+"\n", got.Outputs[0].Text, test.Sprint("the first cell"))
	_, err = nbduet.Do(ctx, "insert_nb_cells", kit.Insert(path, 1, true, "x + 1"), &out)
	must.NoError(t, err)
	got = out.ExecutionResults[0]
	test.Eq(t, "done", got.State, test.Sprint("the second cell"))
	must.SliceLen(t, 1, got.Outputs, must.Sprint("the second cell"))
	test.EqOp[any](t, "42", got.Outputs[0].Data["text/plain"], test.Sprint("the second cell"))
	var kernelID string
	for id, at := range r.sessions(t) {
		if at == path {
			kernelID = id
		}
	}
	if kernelID == "" {
		t.Fatalf("the runtime server has kernels for %v", r.sessions(t))
	}
	for _, id := range kernels(t) {
		if !slices.Contains(before, id) {
			t.Errorf("the document server has started the kernel %s", id)
		}
	}

	// A person sees everything, including later runs.
	tab := open(t, path)
	tab.see(t, nil, 0, "[1]:", r.Root)
	tab.see(t, nil, 1, "[2]:", "42")
	_, err = nbduet.Do(ctx, "insert_nb_cells", kit.Insert(path, 2, true, "print('live', x)"), &out)
	must.NoError(t, err)
	tab.see(t, nil, 2, "[3]:", "live 41")
	tab.Shoot("seen")
	must.NoError(t, poll.Until(ctx, "the outputs to be on disk", func(context.Context) error {
		cells, err := kit.OnDisk(t, path)
		if err == nil && (len(cells) != 3 || len(cells[2].Outputs) != 1) {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))

	t.Run("analysis", func(t *testing.T) {
		var s kit.Analysis
		_, err := nbduet.Do(ctx, "session_create", map[string]any{}, &s)
		must.NoError(t, err)
		if got := executeCode(t, nbduet, s.SessionID, "import os; print(os.getcwd())"); got.Stdout != r.Root+"\n" {
			t.Errorf("%+v", got)
		}
		must.NoError(t, os.WriteFile(kit.Jupyter(t).Path("two-servers.csv"), []byte("a,b\n1,2\n"), 0o600))
		must.NoError(t, os.WriteFile(filepath.Join(r.Root, "two-servers.csv"), []byte("c\n3\n"), 0o600))
		var data struct{ Columns []string }
		_, err = nbduet.Do(ctx, "preview_data", map[string]any{"path": "two-servers.csv"}, &data)
		must.NoError(t, err)
		if !slices.Equal(data.Columns, []string{"a", "b"}) {
			t.Errorf("the columns are %q", data.Columns)
		}
		endAnalysis(t, nbduet, s, true)
	})
	t.Run("a kernel by its id", func(t *testing.T) {
		other := kit.NewNotebook(t, kit.Code("x * 2"), kit.Code("1"))
		named := r.startApart(t, r.Token, "--document-id=/"+other, "--runtime-id="+kernelID)
		_, err := named.Do(ctx, "execute_nb_cells", execute(other, 0), &out)
		must.NoError(t, err)
		got := out.ExecutionResults[0]
		test.Eq(t, "done", got.State)
		must.SliceLen(t, 1, got.Outputs)
		test.EqOp[any](t, "82", got.Outputs[0].Data["text/plain"])
		lost := r.startApart(t, r.Token, "--document-id="+other, "--runtime-id=no-such-kernel")
		fails(t, lost, execute(other, 1), "no-such-kernel", "--runtime-id", r.URL)
	})
	t.Run("wrong token", func(t *testing.T) {
		wrong := r.startApart(t, "wr0ng-t0ken")
		fails(t, wrong, execute(kit.NewNotebook(t, kit.Code("1")), 0), "the runtime server at "+r.URL, "RUNTIME_TOKEN")
		answer, err := wrong.Call(ctx, "list_available_kernels", nil)
		must.NoError(t, err)
		test.True(t, answer.IsError)
		test.StrContains(t, answer.Text, "the runtime server at "+r.URL)
		test.StrNotContains(t, answer.Text, "wr0ng-t0ken")
	})
	t.Run("down", func(t *testing.T) {
		down := r.startApart(t, r.Token)
		r.Kill()
		other := kit.NewNotebook(t, kit.Code("1"))
		fails(t, down, execute(other, 0), "the runtime server at "+r.URL, "no connection")
		// Work on documents continues.
		kit.ReadCells(t, down, other)
		_, err := down.Do(ctx, "modify_nb_cells", modify(other, 0, "edited = True"), nil)
		must.NoError(t, err)
		cells := kit.ReadCells(t, down, other)
		must.SliceLen(t, 1, cells)
		test.Eq(t, "edited = True", cells[0].Source)
	})
}

// fails runs a cell whose answer must give the reason for the failure.
func fails(t *testing.T, a *agent.Agent, args map[string]any, says ...string) {
	t.Helper()
	answer, err := a.Call(t.Context(), "execute_nb_cells", args)
	must.NoError(t, err)
	for _, want := range says {
		if !strings.Contains(answer.Text, want) {
			t.Errorf("the answer does not say %q: %s", want, answer.Text)
		}
	}
	test.StrNotContains(t, answer.Text, "wr0ng-t0ken", test.Sprint("the answer holds a token"))
	test.StrNotContains(t, answer.Text, kit.Jupyter(t).Token, test.Sprint("the answer holds a token"))
}
