package tab_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

const table = `import pandas as pd
pd.DataFrame({"day": ["Mon", "Tue"], "bikes": [3120, 3395]})`

// Cells that the tool inserts and runs are seen live, without a reload: the cells, the [*], each line while the cell
// still runs, the count, the table, the plot.
func TestInsertedCellsRunLive(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Markdown("# A notebook that a person has open"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	tab.Shoot("opened")

	done := make(chan error, 1)
	var executed agent.Executed
	var answer *agent.Answer
	go func() {
		var err error
		answer, err = nbduet.Do(ctx, "insert_nb_cells", kit.Insert(path, 1, true, fmt.Sprintf(kit.Gated, path), table, kit.Plot), &executed)
		done <- err
	}()

	for line := range 3 {
		want := "line 0\nline 1\nline 2\n"[:(line+1)*len("line 0\n")]
		must.NoError(t, tab.WaitView(ctx, fmt.Sprintf("line %d of the running cell", line), func(cells []browser.ViewCell) error {
			if len(cells) == 4 && cells[1].Prompt == "[*]:" && outputText(cells[1]) == strings.TrimSpace(want) {
				return nil
			}
			return errors.Join(fmt.Errorf("%+v", cells), ended(done))
		}))
		tab.Shoot(fmt.Sprintf("line-%d", line))
		must.NoError(t, os.WriteFile(kit.Jupyter(t).Path(fmt.Sprintf("%s-gate-%d", path, line+1)), nil, 0o600))
	}
	must.NoError(t, <-done)
	must.NoError(t, tab.WaitView(ctx, "counts, table and plot", func(cells []browser.ViewCell) error {
		if len(cells) == 4 && cells[1].Prompt == "[1]:" && cells[2].Prompt == "[2]:" && cells[3].Prompt == "[3]:" &&
			len(cells[2].Outputs) == 1 && cells[2].Outputs[0].Rows == 2 &&
			len(cells[3].Outputs) == 1 && cells[3].Outputs[0].Width > 100 {
			return nil
		}
		return fmt.Errorf("%+v", cells)
	}))
	must.NoError(t, tab.Scroll(ctx, 3))
	tab.Shoot("finished")

	// The page shows the same as the tool's answer.
	must.True(t, executed.Executed)
	must.SliceLen(t, 3, executed.ExecutionResults)
	got := executed.ExecutionResults[0].Outputs
	must.SliceLen(t, 1, got)
	test.Eq(t, "line 0\nline 1\nline 2\n", got[0].Text)
	got = executed.ExecutionResults[1].Outputs
	must.SliceLen(t, 1, got)
	test.StrContains(t, fmt.Sprint(got[0].Data["text/plain"]), "3395")
	must.SliceLen(t, 1, answer.Images)
	must.Eq(t, "image/png", answer.Images[0].MIMEType)
	if _, err := png.Decode(bytes.NewReader(answer.Images[0].Data)); err != nil {
		t.Errorf("the plot in the answer: %v", err)
	}
	if answer.Structured != nil {
		t.Errorf("beside the plot there is structured content: %s", answer.Structured)
	}
	// No cell is left running, in the model and soon in the file.
	model, err := tab.Model(ctx)
	must.NoError(t, err)
	for i, c := range model[1:] {
		test.NotEq(t, "running", c.ExecutionState)
		must.NotNil(t, c.ExecutionCount)
		test.Eq(t, i+1, *c.ExecutionCount)
	}
	must.NoError(t, poll.Until(ctx, "the file on disk to hold the outputs", func(context.Context) error {
		cells, err := kit.OnDisk(t, path)
		if err == nil && (len(cells) != 4 || len(cells[3].Outputs) != 1 || cells[3].ExecutionCount == nil) {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))
}

// outputText returns the text of all outputs of a cell.
func outputText(c browser.ViewCell) string {
	var b strings.Builder
	for _, o := range c.Outputs {
		b.WriteString(o.Text)
	}
	return strings.TrimSpace(b.String())
}

// ended returns an error if a call that should still be under way has ended.
func ended(done chan error) error {
	select {
	case err := <-done:
		done <- err
		return fmt.Errorf("the call has ended: %w", err)
	default:
		return nil
	}
}

// A cell's error and its traceback are shown like any other output, and the person and the agent share the kernel: each
// can use the other's names.
func TestErrorAndSharedKernel(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("shared_name = 41"), kit.Code("shared_name + 1"), kit.Code(""))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)

	_, err := nbduet.Do(ctx, "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 0}}}, nil)
	must.NoError(t, err)
	must.NoError(t, tab.run(ctx, 1))
	must.NoError(t, tab.WaitView(ctx, "the person's result", func(cells []browser.ViewCell) error {
		if outputText(cells[1]) != "42" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))

	kit.ReadCells(t, nbduet, path)
	_, err = nbduet.Do(ctx, "modify_nb_cells", map[string]any{
		"path":          path,
		"modifications": []map[string]any{{"range": map[string]any{"start": 2}, "content": "shared_name / 0"}},
	}, nil)
	must.NoError(t, err)
	must.NoError(t, tab.WaitView(ctx, "the error", func(cells []browser.ViewCell) error {
		if !strings.Contains(outputText(cells[2]), "ZeroDivisionError: division by zero") || cells[2].Prompt != "[3]:" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	tab.Shoot("error")
}
