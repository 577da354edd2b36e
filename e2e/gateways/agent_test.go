package gateways

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
)

// notebookText returns a notebook file.
func notebookText(t *testing.T, sources []string) []byte {
	t.Helper()
	cells := make([]any, len(sources))
	for i, source := range sources {
		cells[i] = map[string]any{"id": fmt.Sprintf("c%d", i), "cell_type": "code", "source": source, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil}
	}
	text, err := json.Marshal(map[string]any{"cells": cells, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
	must.NoError(t, err)
	return text
}

// client is the program with a test's helpers.
type client struct {
	t *testing.T
	*agent.Agent
}

// client starts the program over stdio for the site, and closes it when the test ends.
func (s *site) client(opt agent.Options) *client {
	s.t.Helper()
	file := kit.Binary(s.t)
	opt.Binary, opt.Env = file, append(s.ClientEnv(), "JUPYTER_SERVER_URL="+s.URL, "JUPYTER_TOKEN="+s.Token)
	a, err := agent.Start(s.t.Context(), opt)
	must.NoError(s.t, err)
	s.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			s.t.Error(err)
		}
		if s.t.Failed() {
			s.t.Logf("the log of nbduet:\n%s", a.Log())
		}
	})
	return &client{s.t, a}
}

// do calls a tool that has to succeed and returns its text.
func (c *client) do(tool string, args map[string]any) string {
	c.t.Helper()
	answer, err := c.Do(c.t.Context(), tool, args, nil)
	must.NoError(c.t, err)
	return answer.Text
}

// result is the result of an executed cell.
type result struct {
	State   string          `json:"state"`
	Message string          `json:"message"`
	RunID   string          `json:"run_id"`
	Outputs json.RawMessage `json:"outputs"`
}

// cellArgs returns the arguments that run cells by their ids.
func cellArgs(path string, ids ...string) map[string]any {
	ranges := make([]any, len(ids))
	for i, id := range ids {
		ranges[i] = map[string]any{"id": id}
	}
	return map[string]any{"path": path, "ranges": ranges}
}

// execute runs a cell and returns the answer and the cell's result.
func (c *client) execute(path, id string) (*agent.Answer, result) {
	c.t.Helper()
	answer, err := c.Call(c.t.Context(), "execute_nb_cells", cellArgs(path, id))
	must.NoError(c.t, err)
	return answer, c.resultOf(answer)
}

// resultOf returns the one result of an answer, or a zero result for an error.
func (c *client) resultOf(answer *agent.Answer) result {
	c.t.Helper()
	var said struct {
		Results []result `json:"execution_results"`
	}
	if answer.IsError {
		return result{}
	}
	must.NoError(c.t, json.Unmarshal([]byte(answer.Text), &said))
	if len(said.Results) != 1 {
		c.t.Fatalf("one cell was run, the answer has %d: %s", len(said.Results), answer.Text)
	}
	return said.Results[0]
}

// runs executes a cell that has to succeed, with words in its answer.
func (c *client) runs(path, id string, words ...string) *agent.Answer {
	c.t.Helper()
	answer, r := c.execute(path, id)
	if r.State != "done" {
		c.t.Fatalf("%s: state %q: %s", id, r.State, answer.Text)
	}
	has(c.t, id, answer.Text, words...)
	return answer
}

// has reports each of the words that a text lacks.
func has(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s has no %q: %s", what, w, text)
		}
	}
}
