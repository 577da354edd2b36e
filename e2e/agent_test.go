package e2e_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/agent"
)

// startAgent starts nbduet for the shared server and closes it when the test
// ends; what it logged is shown if the test fails. The last args win.
func startAgent(t *testing.T, args ...string) *agent.Agent {
	t.Helper()
	return startAgentAs(t, agent.Options{Args: args})
}

// startAgentAs is startAgent with further options.
func startAgentAs(t *testing.T, opt agent.Options) *agent.Agent {
	t.Helper()
	file, err := binary()
	must(t, err)
	opt.Binary = file
	if opt.Env == nil {
		opt.Env = agentEnv()
	}
	a, err := agent.Start(t.Context(), opt)
	must(t, err)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the log of nbduet:\n%s", a.Log())
		}
		if strings.Contains(a.Log(), jupyter.Token) {
			t.Error("the log of nbduet holds the token")
		}
	})
	return a
}

// agentEnv is an environment that names the shared server.
func agentEnv() []string {
	// A test machine may stand still for longer than a user should wait.
	return append(jupyter.ClientEnv(), "JUPYTER_SERVER_URL="+jupyter.URL, "JUPYTER_TOKEN="+jupyter.Token, "NBDUET_SERVER_TIMEOUT=60")
}

// insert is an argument of insert_nb_cells.
func insert(path string, position int, exec bool, sources ...string) map[string]any {
	cells := make([]map[string]any, len(sources))
	for i, source := range sources {
		cells[i] = map[string]any{"content": source}
	}
	return map[string]any{"path": path, "position": position, "cells": cells, "exec": exec}
}

// modify is an argument of modify_nb_cells that changes one cell and runs nothing.
func modify(path string, index int, content string) map[string]any {
	return map[string]any{
		"path":          path,
		"modifications": []map[string]any{{"range": map[string]any{"start": index}, "content": content}},
		"exec":          false,
		"force":         true, // it is not held back while somebody types
	}
}

// readCells returns the cells as read_nb_cells tells them.
func readCells(t *testing.T, a *agent.Agent, path string) []agent.Cell {
	t.Helper()
	var answer agent.Cells
	_, err := a.Do(t.Context(), "read_nb_cells", map[string]any{"path": path}, &answer)
	must(t, err)
	return answer.Cells
}
