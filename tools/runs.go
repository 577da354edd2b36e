package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session"
)

const (
	maxRunsListed     = 200
	defaultRunsListed = 20
)

// A runView is one run, as far as it has come.
type runView struct {
	executionResult
	Path    string `json:"path"`
	Started string `json:"started,omitempty"`
	Ended   string `json:"ended,omitempty"`
	// Page is what get_run shows in place of the outputs where one of them is paged through.
	Page *outputPage `json:"page,omitempty"`
}

func runProperty() property {
	return required("run_id", text("As answered by the tool that ran the cell, or by list_runs.").length(1, 40))
}

// runViewSchema describes a runView.
func runViewSchema(more ...property) schema {
	return object("", append(append(resultProperties(),
		required("path", text("The notebook, when the run was asked for; empty for code that was run in none.")),
		optional("started", text("ISO 8601 time; absent while it waits.")),
		optional("ended", text("ISO 8601 time; absent while it goes on.")),
	), more...)...)
}

type runArgs struct {
	RunID   string   `json:"run_id"`
	MaxSize *int     `json:"maxCellOutputSize"`
	Output  *int     `json:"output"`
	Offset  *int     `json:"offset"`
	Timeout *float64 `json:"timeout"`
}

// findRun finds a run that is remembered.
func (d *deps) findRun(ctx context.Context, id string) (*session.Run, error) {
	r, ok := d.manager.Run(id)
	if !ok || !visible(ctx, r) {
		return nil, fmt.Errorf("there is no run %s: it was made before this program started, or too long ago; list_runs shows those that are known", quoted(id))
	}
	return r, nil
}

// visible tells whether a client may see a run: one of its own.
func visible(ctx context.Context, r *session.Run) bool { return r.Owner == clientOf(ctx) }

// answerRun answers with a run as it stands.
func (d *deps) answerRun(ctx context.Context, r *session.Run, opt runOptions) (*answer, error) {
	result := r.Result()
	out := runView{Path: r.Path, Started: stamp(result.Started), Ended: stamp(result.Ended)}
	f := finished{size: opt.size(), tray: d.gallery.trays(ctx), runs: []finishedRun{{
		r.ID, r.CellID, result, contentsOf(result.Outputs), d.ofRun(ctx, r, result.Count),
	}}}
	a := &answer{body: &out}
	return a, f.into(a, func(res []executionResult) { out.executionResult = res[0] })
}

func getRun(d *deps) tool {
	return tool{
		name:    "get_run",
		title:   "Look at a run",
		toolset: toolsetRuns,
		description: "Shows where the execution of a cell stands and what it has put out so far, without waiting. " +
			"Use it for a run that a tool left going, to see more of its outputs with a larger maxCellOutputSize, or to page through a long output with output and offset, what the notebook did not get included. " +
			"Costs up to maxCellOutputSize characters; the kernel is not asked.",
		marks:  marks{readOnly: true, idempotent: true},
		input:  arguments(append([]property{runProperty(), waitProperties()[0]}, pageProperties()...)...),
		output: runViewSchema(pageProperty()),
		handle: typed(func(ctx context.Context, args runArgs) (*answer, error) {
			r, err := d.findRun(ctx, args.RunID)
			if err != nil {
				return nil, err
			}
			switch {
			case args.Output != nil:
				return answerPage(r, args)
			case args.Offset != nil && *args.Offset > 0:
				return nil, errors.New("offset needs output, which says which of the outputs is paged through")
			}
			return d.answerRun(ctx, r, runOptions{MaxSize: args.MaxSize})
		}),
	}
}

func waitRun(d *deps) tool {
	return tool{
		name:    "wait_run",
		title:   "Wait for a run",
		toolset: toolsetRuns,
		description: "Waits until the execution of a cell has ended, at most timeout seconds, and shows its outcome and outputs. " +
			"Use it for a run that a tool left going, rather than get_run again and again. Costs the time waited and up to maxCellOutputSize characters.",
		marks:  marks{readOnly: true, idempotent: true},
		asks:   true,
		input:  arguments(append([]property{runProperty()}, waitProperties()...)...),
		output: runViewSchema(),
		handle: typed(func(ctx context.Context, args runArgs) (*answer, error) {
			r, err := d.findRun(ctx, args.RunID)
			if err != nil {
				return nil, err
			}
			opt := runOptions{MaxSize: args.MaxSize, Timeout: args.Timeout}
			wait, stop := context.WithTimeout(ctx, opt.timeout())
			defer stop()
			if ask := asker(ctx); ask != nil {
				r.AskThrough(ask)
			}
			await(ctx, wait, []*session.Run{r})
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("the call was cancelled; the run goes on: %w", err)
			}
			return d.answerRun(ctx, r, opt)
		}),
	}
}

// cancelTime is how long cancel_run waits for the run to end.
const cancelTime = 5 * time.Second

func cancelRun(d *deps) tool {
	return tool{
		name:    "cancel_run",
		title:   "Cancel a run",
		toolset: toolsetRuns,
		description: "Takes back the execution of a cell that waits, or interrupts the kernel for one that runs, as the stop button does. " +
			"A run that the kernel has not come to, because it works for somebody else, is interrupted when its turn comes. Variables stay. Costs some seconds at most; one that has ended is only shown.",
		marks:  marks{idempotent: true, destructive: true},
		input:  arguments(runProperty(), waitProperties()[0]),
		output: runViewSchema(),
		handle: typed(func(ctx context.Context, args runArgs) (*answer, error) {
			r, err := d.findRun(ctx, args.RunID)
			if err != nil {
				return nil, err
			}
			if err := r.Cancel(ctx); err != nil {
				return nil, fmt.Errorf("cancel run %s: %w", r.ID, err)
			}
			wait, stop := context.WithTimeout(ctx, cancelTime)
			defer stop()
			_ = r.Wait(wait) // code may take longer to heed the interrupt: the state says so
			return d.answerRun(ctx, r, runOptions{MaxSize: args.MaxSize})
		}),
	}
}

type listRunsArgs struct {
	Path  string `json:"path"`
	Limit *int   `json:"limit"`
}

type listedRun struct {
	RunID   string `json:"run_id"`
	Path    string `json:"path"`
	CellID  string `json:"cell_id"`
	Session string `json:"session_id,omitempty"`
	State   string `json:"state"`
	Count   *int   `json:"execution_count"`
	Started string `json:"started,omitempty"`
	Ended   string `json:"ended,omitempty"`
}

type listRunsResult struct {
	Runs  []listedRun `json:"runs"`
	Total int         `json:"total"`
}

func listRuns(d *deps) tool {
	return tool{
		name:    "list_runs",
		title:   "List runs",
		toolset: toolsetRuns,
		description: "Lists the executions of cells that you have asked for, the latest first, with their states and without their outputs. " +
			"Use it to find the run_id of one that still goes on. What people run in their own tabs is not among them. Costs one line a run.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			optional("path", text("Only those of this notebook. Left out: all.").length(0, 4096).def("")),
			optional("limit", integer("Most runs listed.").between(1, maxRunsListed).def(defaultRunsListed)),
		),
		output: object("",
			required("runs", list("", object("",
				required("run_id", text("")),
				required("path", text("Of the notebook; empty for code that was run in none.")),
				required("cell_id", text("")),
				optional("session_id", text("The analysis session that it was asked for in.")),
				required("state", stateSchema()),
				required("execution_count", integer("").orNull()),
				optional("started", text("ISO 8601 time.")),
				optional("ended", text("ISO 8601 time.")),
			))),
			required("total", integer("Runs that are known, those beyond the limit included.")),
		),
		handle: typed(func(ctx context.Context, args listRunsArgs) (*answer, error) {
			path := args.Path
			if path != "" {
				var err error
				if path, err = notebookArg("path", path); err != nil {
					return nil, err
				}
			}
			limit := defaultRunsListed
			if args.Limit != nil {
				limit = *args.Limit
			}
			all := slices.DeleteFunc(d.manager.Runs(path), func(r *session.Run) bool { return !visible(ctx, r) })
			out := listRunsResult{Runs: []listedRun{}, Total: len(all)}
			for _, r := range all[:min(limit, len(all))] {
				res := r.Status()
				out.Runs = append(out.Runs, listedRun{
					RunID: r.ID, Path: r.Path, CellID: r.CellID, Session: r.Session, State: string(res.State), Count: res.Count,
					Started: stamp(res.Started), Ended: stamp(res.Ended),
				})
			}
			a := &answer{body: &out}
			return a, a.trim(func() bool {
				out.Runs = out.Runs[:len(out.Runs)*3/4]
				return len(out.Runs) > 0
			})
		}),
	}
}
