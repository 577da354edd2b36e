package notebook

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/tools/waiting"
)

const defaultRunsListed = 20

// A RunView is the current state of one run.
type RunView struct {
	ExecutionResult
	Path    string `json:"path" jsonschema:"The notebook's path at the start; empty for code outside a notebook."`
	Started string `json:"started,omitempty" jsonschema:"ISO 8601 time; absent while it waits."`
	Ended   string `json:"ended,omitempty" jsonschema:"ISO 8601 time; absent until it ends."`
	cell    plaintext.Cell
}

// viewOf returns the view of a run without its outputs.
func viewOf(ctx context.Context, d *deps.Deps, r *run.Run, o waiting.Outcome) RunView {
	return RunView{
		ExecutionResult: resultOf(o), Path: r.Path.String(), Started: tool.Stamp(o.Started), Ended: tool.Stamp(o.Ended),
		cell: cellOfRun(ctx, d, r),
	}
}

// namedRun is the argument of a tool for one run.
type namedRun struct {
	RunID string `json:"run_id" jsonschema:"From the answer of the call that ran the cell." validate:"min=1,max=40"`
}

func (n namedRun) id() string { return n.RunID }

// ofRun is [tool.Typed] for a tool that is about the run that its arguments name.
func ofRun[A interface{ id() string }](d *deps.Deps, answer func(context.Context, *run.Run, A) (*tool.Answer, error)) tool.Call {
	return tool.Typed(func(ctx context.Context, args A) (*tool.Answer, error) {
		r, err := findRun(ctx, d, args.id())
		if err != nil {
			return nil, err
		}
		return answer(ctx, r, args)
	})
}

// findRun finds a known run.
func findRun(ctx context.Context, d *deps.Deps, id string) (*run.Run, error) {
	r, ok := d.Manager.RunTable().Run(id)
	if !ok {
		r, ok = takeUp(ctx, d, id)
	}
	if !ok || !Visible(ctx, r) {
		return nil, fmt.Errorf("no run %s: it began before this program started, or too long ago"+textfmt.Hint("; list_runs shows the known ones"), textfmt.Quoted(id))
	}
	target.TouchRun(ctx, d.Manager, r)
	return r, nil
}

// takeUp opens the notebook of a run that was left by an earlier session; this resumes the run.
func takeUp(ctx context.Context, d *deps.Deps, id string) (*run.Run, bool) {
	left, ok := d.Manager.RunTable().Left(ctx, id)
	if !ok || !waiting.Visible(ctx, left.Owner, true) {
		return nil, false
	}
	doc, err := d.OpenAt(ctx, left.Path)
	if err != nil {
		return nil, false // the run is unknown then
	}
	defer doc.Release()
	return doc.TakenUp(ctx, id)
}

// Visible reports whether a client may see a run: only its own. A run from before this program's start may belong to a
// client session that has ended; it is visible to all clients without an identity.
func Visible(ctx context.Context, r *run.Run) bool {
	return waiting.Visible(ctx, r.Owner, r.TakenUp())
}

// answerRun answers with the current state of a run.
func answerRun(ctx context.Context, d *deps.Deps, r *run.Run, size int) (*tool.Answer, error) {
	f := finished{size: size, again: true}
	f.add(ctx, d, r, nil)
	out := viewOf(ctx, d, r, f.runs[0].Outcome)
	a := &tool.Answer{Body: &out, Words: tool.Words(ctx, out.words)}
	return a, f.into(a, func(res []ExecutionResult) { out.ExecutionResult = res[0] })
}

// look answers with the current state of a run, or with a page of one of its outputs.
func look(ctx context.Context, d *deps.Deps, r *run.Run, args getRunArgs) (*tool.Answer, error) {
	switch {
	case args.Output != nil:
		return answerPage(ctx, d, r, args)
	case args.Offset != nil && *args.Offset > 0:
		return nil, errors.New("offset requires output, the index of the output to page through")
	}
	return answerRun(ctx, d, r, args.Size())
}

func getRun(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "get_run",
		Title:       "Look at a run",
		Description: "Shows the state of a cell's execution and its outputs so far, without waiting. Use it for a run that was left running, to see more of its outputs with a larger maxCellOutputSize, or to page through a long one with output and offset.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[PagedRun](nil),
		Call: ofRun(d, func(ctx context.Context, r *run.Run, args getRunArgs) (*tool.Answer, error) {
			return look(ctx, d, r, args)
		}),
	}
}

type waitRunArgs struct {
	namedRun
	Waiting
}

func waitRun(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "wait_run",
		Title:       "Wait for a run",
		Description: "Waits, at most timeout seconds, until the execution of a cell ends or its code asks for input, and shows its outcome and outputs. Use it for a run that was left running, rather than polling.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Asks:        true,
		Output:      tool.ResultOf[RunView](nil),
		Call: ofRun(d, func(ctx context.Context, r *run.Run, args waitRunArgs) (*tool.Answer, error) {
			return follow(ctx, d, r, args.Waiting)
		}),
	}
}

type listRunsArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"Only runs of this notebook. Left out: all." validate:"max=path" default:""`
	Limit *int   `json:"limit,omitempty" jsonschema:"Maximum listed." validate:"min=1,max=200" default:"20"`
}

type listedRun struct {
	RunID   string `json:"run_id"`
	Path    string `json:"path" jsonschema:"The notebook's path; empty for code outside a notebook."`
	CellID  string `json:"cell_id"`
	Session string `json:"session_id,omitempty" jsonschema:"The analysis session that requested it."`
	State   string `json:"state"`
	Count   *int   `json:"execution_count"`
	Started string `json:"started,omitempty" jsonschema:"ISO 8601 time."`
	Ended   string `json:"ended,omitempty" jsonschema:"ISO 8601 time."`
	cell    plaintext.Cell
}

// Refine implements tool.Refiner.
func (listedRun) Refine(f tool.Fields) { f.Field("state").OneOf(RunStates()...) }

// A ListRunsResult is the answer of list_runs.
type ListRunsResult struct {
	Runs  []listedRun `json:"runs"`
	Total int         `json:"total" jsonschema:"Known runs, including those beyond the limit."`
}

func listRuns(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "list_runs",
		Title: "List runs",
		Description: "Lists the cell executions that you requested, latest first, with states and without outputs. " +
			"Use it to find the run_id of one that still runs. Runs from people's own tabs are not listed. Costs one line per run.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.ResultOf[ListRunsResult](nil),
		Call:   tool.Typed(func(ctx context.Context, args listRunsArgs) (*tool.Answer, error) { return answerRuns(ctx, d, args) }),
	}
}

// answerRuns answers with the client's runs.
func answerRuns(ctx context.Context, d *deps.Deps, args listRunsArgs) (*tool.Answer, error) {
	var path jupyter.Path
	if args.Path != "" {
		var err error
		if path, err = target.NotebookArg("path", args.Path); err != nil {
			return nil, err
		}
	}
	limit := tool.ValueOr(args.Limit, defaultRunsListed)
	all := slices.DeleteFunc(d.Manager.RunTable().Runs(path), func(r *run.Run) bool { return !Visible(ctx, r) })
	out := ListRunsResult{Runs: []listedRun{}, Total: len(all)}
	for _, r := range all[:min(limit, len(all))] {
		res := r.Status()
		out.Runs = append(out.Runs, listedRun{
			RunID: r.ID, Path: r.Path.String(), CellID: r.CellID, Session: r.Session, State: string(res.State), Count: res.Count,
			Started: tool.Stamp(res.Started), Ended: tool.Stamp(res.Ended),
			cell: cellOfRun(ctx, d, r),
		})
	}
	a := &tool.Answer{Body: &out, Words: tool.Words(ctx, out.words)}
	return a, a.TrimTo(len(out.Runs), func(n int) { out.Runs = out.Runs[:n] })
}
