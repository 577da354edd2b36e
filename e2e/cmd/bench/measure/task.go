package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/e2e/cmd/demo/task"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/tokens"
)

// taskName is the notebook of the demo's task that each server has in its folder.
const taskName = "demo.ipynb"

// ourTask returns the calls of the demo.
func ourTask() (calls []call) {
	for _, s := range task.Steps("nbduet/" + taskName) {
		calls = append(calls, call{s.Tool, s.Args})
	}
	return calls
}

// theirTask returns the same reads, runs and changes of the same cells with the tools of Datalayer's server. None of
// these runs two cells, or runs a cell that it changes.
func theirTask() []call {
	at := func(cell int) map[string]any { return map[string]any{"cell_index": cell} }
	insert := func(cell int, source string) call {
		return call{"insert_execute_code_cell", map[string]any{"cell_index": cell, "cell_source": source}}
	}
	return []call{
		{"use_notebook", map[string]any{"notebook_name": "demo", "notebook_path": "datalayer/" + taskName, "kernel_id": "NEW"}},
		{"read_notebook", map[string]any{"notebook_name": "demo", "response_format": "detailed", "limit": 0}},
		{"execute_cell", at(1)},
		{"execute_cell", at(2)},
		insert(3, task.TextCell),
		insert(4, task.TableCell),
		insert(5, task.PlotCell),
		{"overwrite_cell_source", map[string]any{"cell_index": 5, "cell_source": task.ChangedPlotCell}},
		{"execute_cell", at(5)},
	}
}

// taskSays are words that both servers' answers to the task contain: the last printed line and a line of the table.
var taskSays = []string{"Sun ######            1215", "dry      4  2916.2  3395"}

// paid is the cost of a task to a model.
type paid struct{ list, calls, arguments, answers, all int }

// pay performs the task with a server and counts the tokens.
func (s *server) pay(ctx context.Context, calls []call) (p paid, err error) {
	if _, p.list, err = s.list(ctx); err != nil {
		return paid{}, err
	}
	p.calls = len(calls)
	for _, c := range calls {
		n, err := written(c.args)
		if err != nil {
			return paid{}, err
		}
		p.arguments += n
	}
	if p.answers, err = s.cost(ctx, measurement{what: "the demo's task", says: taskSays, pictures: 2}, calls); err != nil {
		return paid{}, err
	}
	p.all = p.list + p.arguments + p.answers
	return p, nil
}

// written counts the tokens of a call's arguments as a model writes them: as JSON without unnecessary escapes.
func written(args map[string]any) (int, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		return 0, fmt.Errorf("write arguments: %w", err)
	}
	return tokens.Count(strings.TrimSpace(b.String()))
}

// measureTask performs the demo's task with both servers and returns the lines of its table.
func measureTask(ctx context.Context, jupyter *lab.Lab, ours, theirs *server) ([]line, error) {
	our, err := ours.pay(ctx, ourTask())
	if err != nil {
		return nil, err
	}
	their, err := theirs.pay(ctx, theirTask())
	if err != nil {
		return nil, err
	}
	for _, side := range sides {
		file := jupyter.Path(side + "/" + taskName)
		if err := poll.Until(ctx, "the task to be done in "+file, func(context.Context) error {
			cells, err := nbfile.Read(file)
			return errors.Join(err, task.Check(cells))
		}); err != nil {
			return nil, err
		}
	}
	return []line{
		{what: givenTools, nbduet: our.list, other: their.list, itself: -1, note: "names, descriptions and arguments of the tools that are listed by default"},
		{
			what: "the arguments of the calls, as JSON", nbduet: our.arguments, other: their.arguments, itself: -1,
			note: fmt.Sprintf("of %s; of %s", named(ourTask()), named(theirTask())),
		},
		{what: "the answers", nbduet: our.answers, other: their.answers, itself: -1, note: "all their texts; pictures, which both show, do not count"},
		{what: wholeTask, nbduet: our.all, other: their.all, itself: -1, calls: our.calls, otherCalls: their.calls, note: "the sum"},
	}, nil
}

// named returns the number of calls and the names of their tools.
func named(calls []call) string {
	var parts []string
	for i := 0; i < len(calls); {
		n := 1
		for i+n < len(calls) && calls[i+n].tool == calls[i].tool {
			n++
		}
		part := calls[i].tool
		if n > 1 {
			part = fmt.Sprintf("%d × %s", n, part)
		}
		parts, i = append(parts, part), i+n
	}
	return fmt.Sprintf("%d calls (%s)", len(calls), strings.Join(parts, ", "))
}
