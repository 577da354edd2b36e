package packages

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// works checks that a command is the complete nbduet: a client starts it and sees the release's version and the tools,
// changes a notebook in a real JupyterLab, and runs a cell. env is added to the client's environment.
func works(t *testing.T, command []string, env ...string) {
	t.Helper()
	version, err := newest()
	must.NoError(t, err)
	server := kit.Jupyter(t)
	path := filepath.Base(t.TempDir()) + "-" + strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()) + ".ipynb"
	text, err := json.Marshal(map[string]any{
		"cells": []any{map[string]any{
			"id": "c0", "cell_type": "code", "source": "seen = 6", "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil,
		}},
		"nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
	})
	must.NoError(t, err)
	must.NoError(t, os.WriteFile(server.Path(path), text, 0o600))

	env = slices.Concat(server.ClientEnv(), []string{"JUPYTER_SERVER_URL=" + server.URL, "JUPYTER_TOKEN=" + server.Token}, env)
	a, err := agent.Start(t.Context(), agent.Options{Binary: command[0], Args: command[1:], Env: env})
	must.NoError(t, err)
	defer func() {
		if err := a.Close(); err != nil {
			t.Errorf("%q: %v; its log:\n%s", command, err, a.Log())
		}
	}()
	if a.Server.Version != version {
		t.Errorf("%q says that it is version %s, not %s", command, a.Server.Version, version)
	}
	tools, err := a.Tools(t.Context())
	must.NoError(t, err)
	if !slices.Contains(tools, "insert_nb_cells") {
		t.Errorf("%q lists %q", command, tools)
	}
	_, err = a.Do(t.Context(), "edit_text", map[string]any{"path": path, "old_text": "seen = 6", "new_text": "seen = 7"}, nil)
	must.NoError(t, err)
	ran, err := a.Call(t.Context(), "insert_nb_cells", map[string]any{
		"path": path, "after_id": "c0", "exec": true, "cells": []any{map[string]any{"content": "print(6 * 7)"}},
	})
	must.NoError(t, err)
	said := ran.Text
	test.False(t, ran.IsError, test.Sprint(command))
	test.StrContains(t, said, "42", test.Sprint(command))
	must.NoError(t, poll.Until(t.Context(), "the file to have the edit and the output", func(context.Context) error {
		file, err := os.ReadFile(server.Path(path))
		if err != nil {
			return err
		}
		if !strings.Contains(string(file), "seen = 7") || !strings.Contains(string(file), `"42\n"`) {
			return fmt.Errorf("it has %s", file)
		}
		return nil
	}))
	must.NoError(t, server.EndKernel(t.Context(), path))
}
