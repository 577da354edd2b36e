package journeys

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/nbfile"
)

const figure = `import matplotlib.pyplot as plt
plt.figure(figsize=(5, 2))
plt.plot([1, 3, 2], label="bikes")
plt.title("journey")
plt.xlabel("day")
plt.legend()
plt.show()`

// figureSays is the text for the model beside its picture.
const figureSays = `"journey" (x: day): 1 line "bikes", x 0 … 2, y 1 … 3`

// A figure that a cell draws is an image of the answer, and an output in the room and in the file.
func TestRunWithFigure(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), figure)
	m := join(t, kit.Jupyter(t), path)
	a := kit.StartAgentAs(t, agent.Options{})
	answer, err := a.Do(t.Context(), "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 0}}}, nil)
	must.NoError(t, err)
	must.SliceLen(t, 1, answer.Images)
	test.True(t, bytes.HasPrefix(answer.Images[0].Data, []byte("\x89PNG")))
	pictures := func(outputs []nbfile.Output) (n int) {
		for _, o := range outputs {
			if o.Data["image/png"] != nil && len(o.Data) == 2 { // with its text, but without the model's description
				n++
			}
		}
		return n
	}
	m.sees("the figure, and the cell idle with its count", func(cells []roomCell) error {
		c := cells[0]
		if pictures(c.Outputs) != 1 || c.ExecutionCount == nil || *c.ExecutionCount != 1 || c.ExecutionState != "idle" {
			return fmt.Errorf("%d pictures, count %v, %s", pictures(c.Outputs), c.ExecutionCount, c.ExecutionState)
		}
		return nil
	})
	fileHas(t, kit.Jupyter(t), path, "the figure", func(cells []nbfile.Cell) error {
		if n := pictures(cells[0].Outputs); n != 1 {
			return fmt.Errorf("%d pictures", n)
		}
		return nil
	})
}

// An answer reports that code waits for input, and its prompt; the code continues with the input.
func TestInput(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "name = input('Who is it? ')\nprint('hello', name)")
	m := join(t, kit.Jupyter(t), path)
	a := kit.StartAgentAs(t, agent.Options{})
	said, run := execute(t, a, path, "c0")
	must.Eq(t, "waiting_for_input", run.State, must.Sprint(said))
	must.NotEq(t, "", run.RunID, must.Sprint(said))
	has(t, "the answer", said, "Who is it?")
	has(t, "the answered run", do(t, a, "answer_input", map[string]any{"run_id": run.RunID, "text": "Ada"}), "hello Ada", "done")
	m.sees("what was printed", func(cells []roomCell) error {
		if text := printed(cells[0]); !strings.Contains(text, "hello Ada") {
			return fmt.Errorf("%q", text)
		}
		return nil
	})
}

// printed returns a cell's printed text.
func printed(c roomCell) string {
	var b strings.Builder
	for _, o := range c.Outputs {
		b.WriteString(string(o.Text))
	}
	return b.String()
}

// A run whose kernel is killed is reported as lost, in the notebook too; the next one runs, and its answer says that the
// variables are gone.
func TestKilledKernel(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "kept = 1", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "'kept' in globals()")
	m := join(t, kit.Jupyter(t), path)
	a := kit.StartAgentAs(t, agent.Options{})
	if said, run := execute(t, a, path, "c0"); run.State != "done" {
		t.Fatalf("state %q: %s", run.State, said)
	}
	if said, run := execute(t, a, path, "c1"); run.State != "lost" {
		t.Errorf("state %q, want lost: %s", run.State, said)
	}
	m.sees("a note of the end, and the cell idle", func(cells []roomCell) error {
		if text := printed(cells[1]); !strings.Contains(text, "its variables are gone") || cells[1].ExecutionState != "idle" {
			return fmt.Errorf("%s, %q", cells[1].ExecutionState, text)
		}
		return nil
	})
	said, run := execute(t, a, path, "c2")
	test.Eq(t, "done", run.State, test.Sprint("the run after it"))
	test.StrContains(t, string(run.Outputs), "False", test.Sprint("the run after it"))
	has(t, "the run after it", said, "earlier variables are gone")
}
