package gateways

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
)

const figure = `import matplotlib.pyplot as plt
plt.figure(figsize=(5, 2))
plt.plot([1, 3, 2], label="bikes")
plt.title("elsewhere")
plt.legend()
plt.show()`

// Everything that works with a kernel of the server works with a gateway's kernel.
func TestWorks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		g := newGateway(t, k)
		s := newSite(t, k, g.port)
		path := s.notebook(
			"for i in range(3): print('line', i, flush=True)\nkept = 41",
			figure,
			"name = input('Who is it? ')\nprint('hello', name)",
			"print('it turns', flush=True)\nwhile True: pass",
			"'kept' in globals()",
			"import os\nos.getcwd()",
		)
		c := s.client(agent.Options{})
		c.runs(path, "c0", "line 0", "line 2")
		c.runs(path, "c5", g.dir) // proves that the kernel is the gateway's

		t.Run("figure", func(t *testing.T) {
			answer := c.runs(path, "c1")
			if len(answer.Images) != 1 || !bytes.HasPrefix(answer.Images[0].Data, []byte("\x89PNG")) {
				t.Errorf("the answer has %d images, want one PNG: %s", len(answer.Images), answer.Text)
			}
		})
		t.Run("input", func(t *testing.T) {
			answer, r := c.execute(path, "c2")
			if r.State != "waiting_for_input" || r.RunID == "" {
				t.Fatalf("state %q, run %q: %s", r.State, r.RunID, answer.Text)
			}
			has(t, "the answer", answer.Text, "Who is it?")
			has(t, "the answered run", c.do("answer_input", map[string]any{"run_id": r.RunID, "text": "Ada"}), "hello Ada", "done")
			asked := s.client(agent.Options{Elicit: func(context.Context, string) (string, error) { return "Grace", nil }})
			asked.runs(path, "c2", "hello Grace")
		})
		t.Run("interrupt", func(t *testing.T) {
			args := cellArgs(path, "c3")
			args["timeout"] = 2
			answer, err := c.Call(t.Context(), "execute_nb_cells", args)
			must.NoError(t, err)
			r := c.resultOf(answer)
			if r.State != "running" || r.RunID == "" {
				t.Fatalf("state %q, run %q: %s", r.State, r.RunID, answer.Text)
			}
			has(t, "the interrupted run", c.do("cancel_run", map[string]any{"run_id": r.RunID}), "interrupted")
			c.runs(path, "c4", "True")
		})
		t.Run("looked at", func(t *testing.T) {
			has(t, "the variables", c.do("inspect_data", map[string]any{"path": path}), "kept", "41")
			has(t, "the kernels", c.do("list_available_kernels", nil), "python3")
			has(t, "the running kernels", c.do("list_kernels", nil), "python3")
		})
		t.Run("restart", func(*testing.T) {
			c.do("restart_nb_kernel", map[string]any{"path": path, "exec": false})
			c.runs(path, "c4", "False")
			c.runs(path, "c0", "line 2")
		})
		t.Run("session", func(t *testing.T) {
			var made struct {
				ID string `json:"session_id"`
			}
			_, err := c.Do(t.Context(), "session_create", nil, &made)
			must.NoError(t, err)
			has(t, "the code", c.do("execute_code", map[string]any{"session_id": made.ID, "code": "number = 6 * 7\nprint(number)"}), "42")
			has(t, "the variables", c.do("get_variables", map[string]any{"session_id": made.ID}), "number")
			c.do("session_delete", map[string]any{"session_id": made.ID})
		})
		must.NoError(t, poll.Until(t.Context(), "the file to have what was printed and drawn", func(context.Context) error {
			cells, err := nbfile.Read(s.Path(path))
			if err != nil {
				return err
			}
			return inFile(cells)
		}))
	})
}

// inFile checks the cells of TestWorks on disk.
func inFile(cells []nbfile.Cell) error {
	if len(cells) != 6 || len(cells[0].Outputs) == 0 || len(cells[1].Outputs) == 0 {
		return fmt.Errorf("%+v", cells)
	}
	if !strings.Contains(string(cells[0].Outputs[0].Text), "line 2") {
		return fmt.Errorf("the first cell has printed %q", cells[0].Outputs[0].Text)
	}
	for _, o := range cells[1].Outputs {
		if picture := o.Data["image/png"]; picture != nil && json.Valid(picture) {
			return nil
		}
	}
	return errors.New("no picture")
}
