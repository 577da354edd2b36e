// Package task is the task of the demo: an agent's steps with nbduet in the notebook e2e/testdata/demo.ipynb, and the
// content of the notebook's file afterwards.
//
// Concurrency: the functions keep no state.
package task

// The cells that the agent adds below the three of the demo notebook.
const (
	// TextCell prints, line by line.
	TextCell = `import time

wet = counts["rain_mm"] > 1
print(f"{len(counts)} days, {wet.sum()} of them wet")
for day in counts.itertuples():
    print(f"{day.day} {'#' * (day.bikes // 200):18}{day.bikes}")
    time.sleep(0.3)`

	// TableCell shows a table.
	TableCell = `weather = np.where(wet, "wet", "dry")
counts.groupby(weather)["bikes"].agg(["count", "mean", "max"]).round(1)`

	// PlotCell draws.
	PlotCell = `fig, ax = plt.subplots(figsize=(6, 2.6))
ax.bar(counts["day"], counts["bikes"], color=np.where(wet, "steelblue", "orange"))
ax.set_title("Bikes a day")
plt.show()`

	// ChangedPlotCell is PlotCell after its change.
	ChangedPlotCell = `fig, ax = plt.subplots(figsize=(6, 2.6))
ax.bar(counts["day"], counts["bikes"], color=np.where(wet, "steelblue", "orange"))
ax.set_title("Bikes a day: rain (blue) halves them")
ax.axhline(counts["bikes"].mean(), color="grey", linestyle=":")
plt.show()`
)

// A Step is one call.
type Step struct {
	// Say describes the step to a person.
	Say string
	// Tool is the tool of nbduet that the step calls.
	Tool string
	// Args are its arguments.
	Args map[string]any
}

// Steps returns the agent's steps with the notebook at path, in order.
func Steps(path string) []Step {
	insert := func(position int, source string) map[string]any {
		return map[string]any{"path": path, "position": position, "cells": []map[string]any{{"content": source}}}
	}
	return []Step{
		{"The agent reads the notebook", "read_nb_cells", map[string]any{"path": path}},
		{"It runs the two code cells that are there", "execute_nb_cells", map[string]any{
			"path": path, "ranges": []map[string]any{{"start": 1, "end": 3}},
		}},
		{"It adds a cell that prints, line by line", "insert_nb_cells", insert(3, TextCell)},
		{"It adds a table", "insert_nb_cells", insert(4, TableCell)},
		{"It adds a plot", "insert_nb_cells", insert(5, PlotCell)},
		{"It changes the plot and runs it again", "modify_nb_cells", map[string]any{
			"path":          path,
			"modifications": []map[string]any{{"range": map[string]any{"start": 5}, "content": ChangedPlotCell}},
		}},
	}
}
