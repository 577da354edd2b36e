package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/e2e/agent"
)

// The cells that the agent adds below the three of the demo notebook.
const (
	textCell = `import time

wet = counts["rain_mm"] > 1
print(f"{len(counts)} days, {wet.sum()} of them wet")
for day in counts.itertuples():
    print(f"{day.day} {'#' * (day.bikes // 200):18}{day.bikes}")
    time.sleep(0.3)`

	tableCell = `weather = np.where(wet, "wet", "dry")
counts.groupby(weather)["bikes"].agg(["count", "mean", "max"]).round(1)`

	plotCell = `fig, ax = plt.subplots(figsize=(6, 2.6))
ax.bar(counts["day"], counts["bikes"], color=np.where(wet, "steelblue", "orange"))
ax.set_title("Bikes a day")
plt.show()`

	changedPlotCell = `fig, ax = plt.subplots(figsize=(6, 2.6))
ax.bar(counts["day"], counts["bikes"], color=np.where(wet, "steelblue", "orange"))
ax.set_title("Bikes a day: rain (blue) halves them")
ax.axhline(counts["bikes"].mean(), color="grey", linestyle=":")
plt.show()`
)

// step is one call of the script.
type step struct {
	say  string
	tool string
	args map[string]any
}

// script is what the agent does, in order.
func script() []step {
	insert := func(position int, source string) map[string]any {
		return map[string]any{"path": notebook, "position": position, "cells": []map[string]any{{"type": "code", "content": source}}}
	}
	return []step{
		{"The agent reads the notebook", "read_nb_cells", map[string]any{"path": notebook}},
		{"It runs the two code cells that are there", "execute_nb_cells", map[string]any{
			"path": notebook, "ranges": []map[string]any{{"start": 1, "end": 3}},
		}},
		{"It adds a cell that prints, line by line", "insert_nb_cells", insert(3, textCell)},
		{"It adds a table", "insert_nb_cells", insert(4, tableCell)},
		{"It adds a plot", "insert_nb_cells", insert(5, plotCell)},
		{"It changes the plot and runs it again", "modify_nb_cells", map[string]any{
			"path":          notebook,
			"modifications": []map[string]any{{"range": map[string]any{"start": 5}, "content": changedPlotCell}},
		}},
	}
}

// perform works through the script, showing each answer as it comes, and rests
// for pause before each step, so that a person can follow.
func perform(ctx context.Context, nbduet *agent.Agent, pause time.Duration) error {
	for i, s := range script() {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		say("\n%d. %s: %s", i+1, s.say, s.tool)
		began := time.Now()
		answer, err := nbduet.Do(ctx, s.tool, s.args, nil)
		if err != nil {
			return err
		}
		if err := show(answer); err != nil {
			return fmt.Errorf("%s: %w", s.tool, err)
		}
		say("   (%.1f s)", time.Since(began).Seconds())
	}
	say("")
	return nil
}
