package sessiontest

import (
	"context"
	"testing"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// Forever is the code of a cell that prints its process id and keeps running.
const Forever = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(300)"

// Run runs cells and waits until they have ended.
func Run(t *testing.T, d *session.Document, cells ...string) []run.Result {
	t.Helper()
	runs, err := d.Run(t.Context(), cells)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), Timeout)
	defer stop()
	var res []run.Result
	for _, r := range runs {
		if err := r.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		res = append(res, r.Result())
	}
	return res
}

// Start begins to run a cell and waits for its first output.
func Start(t *testing.T, d *session.Document, cell string) *run.Run {
	t.Helper()
	runs, err := d.Run(t.Context(), []string{cell})
	if err != nil {
		t.Fatal(err)
	}
	Eventually(t, "cell "+cell+" runs", func() bool { return Text(runs[0].Result().Outputs) != "" })
	return runs[0]
}

// Wait waits until a run has ended.
func Wait(t *testing.T, r *run.Run) run.Result {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), Timeout)
	defer stop()
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return r.Result()
}

// Idle checks that a cell does not show as running.
func Idle(t *testing.T, d *session.Document, cell string) {
	t.Helper()
	if c, ok := d.Notebook().Cell(cell); !ok || c.ExecutionState != "idle" {
		t.Errorf("cell %s is left %q", cell, c.ExecutionState)
	}
}
