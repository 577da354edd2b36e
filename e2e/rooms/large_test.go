package rooms_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A large notebook keeps a server busy for longer than a call waits, and it answers no request in the meantime. Each
// call returns in time with an error that says so, and one of them finds the notebook open.
func TestManyOutputsAreOpened(t *testing.T) {
	const (
		cells, outputs = 40, 1000
		wait           = time.Second     // a call's limit for the server
		coming         = 2 * time.Second // its limit while the document arrives
	)
	s := &site{t: t, server: jupytertest.Start(t)}
	path := "large.ipynb"
	if err := os.WriteFile(filepath.Join(s.server.Root, path), manyOutputs(t, cells, outputs), 0o600); err != nil {
		t.Fatal(err)
	}
	agent := s.start(s.server.URL, "--server-timeout="+seconds(wait.Seconds()))
	refused, first := 0, time.Now()
	for {
		began := time.Now()
		a, err := agent.Call(t.Context(), "get_nb_stat", map[string]any{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > wait+coming+slack {
			t.Errorf("a call is answered after %s: %s", took, a.Text)
		}
		if !a.IsError {
			break
		}
		if refused++; !strings.Contains(a.Text, "it is being opened: the Jupyter server has been busy with it for") {
			t.Errorf("a call is told %s", a.Text)
		}
		if time.Since(first) > poll.Patience {
			t.Fatalf("not open after %d calls", refused)
		}
	}
	if refused == 0 {
		t.Error("the server was not busy with it: the test shows nothing")
	}
	t.Logf("open after %d calls, %s", refused, time.Since(first).Round(time.Millisecond))
	var shown struct {
		Cells int `json:"cell_count"`
	}
	_, err := agent.Do(t.Context(), "get_nb_stat", map[string]any{"path": path}, &shown)
	must.NoError(t, err)
	test.Eq(t, cells, shown.Cells)
}

// manyOutputs returns a file of cells with outputs.
func manyOutputs(t *testing.T, cells, outputs int) []byte {
	t.Helper()
	var all []any
	for i := range cells {
		var outs []any
		for j := range outputs {
			outs = append(outs, map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{"text/plain": fmt.Sprintf("row %d %d", i, j)}})
		}
		all = append(all, map[string]any{"cell_type": "code", "id": fmt.Sprintf("c%d", i), "metadata": map[string]any{}, "source": "x = 1", "execution_count": nil, "outputs": outs})
	}
	b, err := json.Marshal(map[string]any{"cells": all, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
