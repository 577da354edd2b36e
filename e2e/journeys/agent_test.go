package journeys

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
)

// do calls a tool that has to succeed and returns its text.
func do(t *testing.T, a *agent.Agent, tool string, args map[string]any) string {
	t.Helper()
	answer, err := a.Do(t.Context(), tool, args, nil)
	must.NoError(t, err)
	return answer.Text
}

// result is the result of an executed cell.
type result struct {
	State   string          `json:"state"`
	RunID   string          `json:"run_id"`
	Outputs json.RawMessage `json:"outputs"`
}

// execute runs a cell by its id and returns the answer's text and the cell's result.
func execute(t *testing.T, a *agent.Agent, path, id string) (string, result) {
	t.Helper()
	var answer struct {
		Results []result `json:"execution_results"`
	}
	said, err := a.Do(t.Context(), "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"id": id}}}, &answer)
	must.NoError(t, err)
	if len(answer.Results) != 1 {
		t.Fatalf("one cell was run, the answer has %d: %s", len(answer.Results), said.Text)
	}
	return said.Text, answer.Results[0]
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

// sources returns the cells' sources in order, each after its id.
func sources[C any](cells []C, of func(C) (id, source string)) []string {
	var list []string
	for _, c := range cells {
		id, source := of(c)
		list = append(list, id+": "+source)
	}
	return list
}

func inRoom(c roomCell) (id, source string) { return c.ID, c.Source }

// same returns an error that shows both lists if they differ.
func same(got, want []string) error {
	if slices.Equal(got, want) {
		return nil
	}
	return &different{got, want}
}

type different struct{ got, want []string }

func (d *different) Error() string {
	return "it has\n\t" + strings.Join(d.got, "\n\t") + "\nand should have\n\t" + strings.Join(d.want, "\n\t")
}
