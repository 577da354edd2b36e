package kit

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
)

// ExitLimit is how long the program may take to exit; only a hang reaches it.
const ExitLimit = 20 * time.Second

// StartAgent starts nbduet for the shared server and closes it when the test ends. If the test fails, it shows the log.
func StartAgent(t *testing.T, args ...string) *agent.Agent {
	t.Helper()
	return StartAgentAs(t, agent.Options{Args: args})
}

// StartAgentAs is StartAgent with further options.
func StartAgentAs(t *testing.T, opt agent.Options) *agent.Agent {
	t.Helper()
	opt.Binary = Binary(t)
	if opt.Env == nil {
		opt.Env = AgentEnv(t)
	}
	a, err := agent.Start(t.Context(), opt)
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the log of nbduet:\n%s", a.Log())
		}
		if strings.Contains(a.Log(), Jupyter(t).Token) {
			t.Error("the log of nbduet holds the token")
		}
	})
	return a
}

// AgentEnv returns an environment that names the shared server.
func AgentEnv(t *testing.T) []string {
	t.Helper()
	l := Jupyter(t)
	// A test machine may hang for longer than a user should wait.
	return append(l.ClientEnv(), "JUPYTER_SERVER_URL="+l.URL, "JUPYTER_TOKEN="+l.Token, "NBDUET_SERVER_TIMEOUT=60")
}

// Insert returns the arguments of insert_nb_cells.
func Insert(path string, position int, exec bool, sources ...string) map[string]any {
	cells := make([]map[string]any, len(sources))
	for i, source := range sources {
		cells[i] = map[string]any{"content": source}
	}
	return map[string]any{"path": path, "position": position, "cells": cells, "exec": exec}
}

// ReadCells returns the cells in the answer of read_nb_cells.
func ReadCells(t *testing.T, a *agent.Agent, path string) []agent.Cell {
	t.Helper()
	var answer agent.Cells
	_, err := a.Do(t.Context(), "read_nb_cells", map[string]any{"path": path}, &answer)
	must.NoError(t, err)
	return answer.Cells
}

// Analysis is the answer of session_create and session_connect.
type Analysis struct {
	SessionID string `json:"session_id"`
	KernelID  string `json:"kernel_id"`
	Path      string `json:"notebook_path"`
	Connected bool   `json:"connected"`
}

// CodeResult is the answer of execute_code.
type CodeResult struct {
	Success bool
	Stdout  string
	CellID  string `json:"cell_id"`
	Images  []struct {
		URI string `json:"resource_uri"`
	}
}
