package notebook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/outline"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
)

// Limits and defaults of calls that run cells.
const (
	DefaultOutputSize = 2000
	MaxOutputSize     = 100_000
	defaultTimeout    = 300  // seconds
	MaxTimeout        = 3600 // seconds
	maxRunCells       = 500
)

// An OutputSize is the argument of every tool that shows outputs of runs.
type OutputSize struct {
	MaxSize *int `json:"maxCellOutputSize,omitempty" jsonschema:"Of a cell's outputs." validate:"min=1,max=100000" default:"2000"`
}

// Size returns the maximum length of a cell's shown outputs, in characters.
func (o OutputSize) Size() int { return tool.ValueOr(o.MaxSize, DefaultOutputSize) }

// Waiting are the arguments of every tool that waits for runs.
type Waiting struct {
	OutputSize
	Timeout *float64 `json:"timeout,omitempty" jsonschema:"Seconds; then unfinished cells keep running." default:"300"`
}

// Refine implements tool.Refiner.
func (Waiting) Refine(f tool.Fields) { f.Field("timeout").Above(0, MaxTimeout) }

// WaitAtMost returns how long the call may wait.
func (w Waiting) WaitAtMost() time.Duration {
	return time.Duration(tool.ValueOr(w.Timeout, defaultTimeout) * float64(time.Second))
}

// hold returns how long the call waits.
func (w Waiting) hold(ctx context.Context, d *deps.Deps) time.Duration {
	return d.Hold(ctx, w.Timeout != nil, w.WaitAtMost())
}

// RunOptions are the arguments of every tool that runs cells.
type RunOptions struct {
	Waiting
	// InterruptOnCancel says that any cancel of the call stops the cells, not only a user's.
	InterruptOnCancel bool `json:"interrupt_on_cancel,omitempty"`
}

// Refine implements tool.Refiner. A model cannot know how its host cancels calls.
func (RunOptions) Refine(f tool.Fields) { f.Hide("interrupt_on_cancel") }

// wanted returns the value of an argument that is true by default.
func wanted(said *bool) bool { return tool.ValueOr(said, true) }

// An ExecutionResult is the result of running one cell.
type ExecutionResult struct {
	Outputs        []map[string]any `json:"outputs" jsonschema:"nbformat outputs; images are named here and shown beside the JSON."`
	Truncated      bool             `json:"truncated" jsonschema:"Whether outputs were cut."`
	OriginalSize   int              `json:"original_size" jsonschema:"Characters of the outputs before cutting, images not counted."`
	CellID         string           `json:"cell_id"`
	RunID          string           `json:"run_id" jsonschema:"Id of this execution."`
	State          string           `json:"state"`
	Input          *waiting.Input   `json:"input,omitempty" jsonschema:"The prompt of input() or getpass(), if state is waiting_for_input."`
	Behind         *waiting.Behind  `json:"queued_behind,omitempty" jsonschema:"The run that this one waits for, if state is queued."`
	ExecutionCount *int             `json:"execution_count"`
	OutputsOmitted int              `json:"outputs_omitted,omitempty" jsonschema:"Outputs left out of the middle."`
	Dropped        bool             `json:"truncated_by_server,omitempty" jsonschema:"The Jupyter server itself left out output."`
	Message        string           `json:"message,omitempty" jsonschema:"Why the cell did not finish, and notes, such as that the kernel is new."`
	// Shortened says that an answer in words leaves out parts of a traceback.
	Shortened bool `json:"-"`
	seen      int  // characters of outputs that are left out because the client has seen them
}

// Refine implements tool.Refiner.
func (ExecutionResult) Refine(f tool.Fields) {
	f.Field("outputs").ListOf(tool.ResultOf[Output](nil))
	f.Field("state").OneOf(RunStates()...)
}

// executed is part of the answer of every tool that changes a notebook and then runs cells.
type executed struct {
	Results []ExecutionResult `json:"execution_results,omitempty" jsonschema:"One for each executed cell, in order."`
}

// finished has the runs of one call, as they were when it stopped waiting.
type finished struct {
	runs    []finishedRun // at least one
	since   bool          // show only outputs that are new since the client's last look
	again   bool          // show also the images that the client was sent before
	size    int
	timeout time.Duration
}

type finishedRun struct {
	waiting.Outcome
	contents render.Contents
	seen     int // characters of outputs that are not in contents
}

// runCells executes the cells and waits for them, at most as long as the options say. Unfinished runs continue.
func runCells(ctx context.Context, d *deps.Deps, doc *session.Document, cells []string, opt RunOptions) (finished, error) {
	if len(cells) > maxRunCells {
		return finished{}, fmt.Errorf("the call names %s to run, more than the %s allowed in one call: spread them over several calls",
			textfmt.Plural(len(cells), "cell"), textfmt.Thousands(maxRunCells))
	}
	runs, err := doc.RunWith(ctx, cells, waiting.RunOptions(ctx))
	if err != nil {
		return finished{}, err
	}
	hold := opt.hold(ctx, d)
	wait, cancel := context.WithTimeout(ctx, hold)
	defer cancel()
	waiting.Await(ctx, wait, runs)
	if err := ctx.Err(); err != nil {
		return finished{}, fmt.Errorf("the call was cancelled; %s: %w", Abandon(ctx, runs, opt.InterruptOnCancel), err)
	}
	out := finished{size: opt.Size(), timeout: hold}
	for _, r := range runs {
		out.add(ctx, d, r, doc)
	}
	return out, nil
}

// add adds a run in its current state. doc is its notebook, nil if it is not open.
func (f *finished) add(ctx context.Context, d *deps.Deps, r *run.Run, doc *session.Document) {
	f.addOutcome(ctx, d, d.Outcome(ctx, r, doc))
}

// addOutcome adds the outcome of a run so far, and records that the client has seen it. After the end, the next look shows
// all.
func (f *finished) addOutcome(ctx context.Context, d *deps.Deps, o waiting.Outcome) {
	one := finishedRun{Outcome: o, contents: d.ContentsFor(ctx, o.Outputs)}
	d.Looks.With(o.ID, func(last *render.Seen) {
		all := one.contents
		if f.since {
			one.contents, one.seen = all.Since(*last)
		}
		if *last = (render.Seen{}); !o.State.Ended() {
			*last = all.All()
		}
	})
	f.runs = append(f.runs, one)
}

// Abandoned returns the error of a call whose context ended before its run, after calling [Abandon].
func Abandoned(ctx context.Context, r *run.Run, always bool) error {
	return fmt.Errorf("the call was cancelled; %s (run %s): %w", Abandon(ctx, []*run.Run{r}, always), r.ID, ctx.Err())
}

// AbandonTime bounds interrupting the runs of a cancelled call.
const AbandonTime = 10 * time.Second

// Abandon interrupts the runs of a call whose context has ended, if [tool.StopsRuns] says so for the caller's
// interrupt_on_cancel, and says what it did.
func Abandon(ctx context.Context, runs []*run.Run, always bool) string {
	if !tool.StopsRuns(ctx, always) {
		return "the cells keep running"
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), AbandonTime)
	defer stop()
	for _, r := range slices.Backward(runs) { // queued ones first, so that none of them begins
		if err := r.Cancel(ctx); err != nil {
			return "the cells could not be stopped: " + err.Error()
		}
	}
	return "its cells were interrupted"
}

// afterwards returns the end of a call's message: success if all cells ran well, else the number of cells by state.
func (f finished) afterwards(success string) string {
	count := map[run.State]int{}
	for _, r := range f.runs {
		count[r.State]++
	}
	if count[run.Done] == len(f.runs) {
		return success
	}
	var parts []string
	for _, s := range []struct {
		state run.State
		words string
	}{
		{run.Done, "ran well"},
		{run.Failed, "failed"},
		{run.Interrupted, "interrupted"},
		{run.Lost, "lost with the kernel"},
		{run.Cancelled, "not run"},
		{run.WaitingForInput, "waiting for input"},
		{run.Running, "still running"},
		{run.Queued, "still waiting"},
	} {
		if n := count[s.state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	return "; of " + textfmt.Plural(len(f.runs), "executed cell") + ": " + strings.Join(parts, ", ")
}

// into puts the results into an answer, and cuts them until the answer fits.
func (f finished) into(a *tool.Answer, set func([]ExecutionResult)) error {
	lim := render.LimitsOf(f.size)
	for f.chars(lim) > tool.AnswerBudget/2 { // every character is sent twice
		lim = lim.Halved()
	}
	expected := lo.SumBy(f.runs, func(r finishedRun) int { return render.PicturesIn(r.Outputs) })
	return lim.Fit(a, func(lim render.OutputLimits) {
		pictures := f.runs[0].NewSet(expected)
		pictures.Again = f.again
		set(lo.Map(f.runs, func(r finishedRun, _ int) ExecutionResult { return f.show(r, lim, pictures) }))
		a.Images = pictures.Images
	})
}

// chars returns the number of characters of output within the limits.
func (f finished) chars(lim render.OutputLimits) int {
	n := lo.SumBy(f.runs, func(r finishedRun) int { return min(r.contents.Size, lim.Total) })
	return n
}

// resultOf returns the result of a run without its outputs.
func resultOf(o waiting.Outcome) ExecutionResult {
	return ExecutionResult{CellID: o.CellID, RunID: o.ID, State: string(o.State), Input: o.Input, ExecutionCount: o.Count, Dropped: o.Dropped}
}

func (f finished) show(r finishedRun, lim render.OutputLimits, pictures *render.ImageSet) ExecutionResult {
	pictures.From, lim.Tail = r.From, !r.State.Ended()
	o, out := r.contents.Show(lim, pictures), resultOf(r.Outcome)
	out.seen = r.seen
	out.Outputs, out.Truncated, out.OriginalSize, out.OutputsOmitted, out.Shortened = o.Outputs, o.Truncated(), o.Original, o.Omitted, o.Short
	var says []string
	if r.Err != nil {
		says = append(says, r.Err.Error())
	} else if !r.State.Ended() {
		says = append(says, r.HowToAnswer)
		switch why := r.QueuedBehind("this one"); {
		case why != "":
			out.Behind = r.Behind
			says = append(says, why)
		case r.State != run.WaitingForInput:
			says = append(says, unfinished(f.timeout))
		}
		says = append(says, waiting.NotBegun(r.Result))
	}
	says = append(says, r.NotesWorded(
		"truncated by the server: output is missing, because more came at once than its limits allow; "+
			"raise them with --ServerApp.iopub_data_rate_limit and --ServerApp.iopub_msg_rate_limit",
		"%s bytes of output were left out of the notebook; the end is among these outputs"+textfmt.Hint(", and get_run with output -1 pages through its text"),
	)...)
	out.Message, _ = textfmt.Cut(tool.Sentences(says...), 1000)
	return out
}

// unfinished says how to follow a cell that is still running.
func unfinished(waited time.Duration) string {
	after := ""
	if waited > 0 {
		after = " after " + waited.String()
	}
	return "not finished" + after + ": it continues" + textfmt.Hint("; wait_run waits for it") + textfmt.Hint(", read_nb_cells shows its outputs so far")
}

type executeArgs struct {
	target.InNotebook
	Ranges []target.CellRange `json:"ranges" validate:"min=1,max=ranges"`
	RunOptions
}

// An ExecuteResult is the answer of execute_nb_cells.
type ExecuteResult struct {
	Message        string            `json:"message"`
	ExecutedRanges int               `json:"executed_ranges"`
	ExecutedCells  int               `json:"executed_cells" jsonschema:"Code cells that were sent to the kernel or its queue."`
	Results        []ExecutionResult `json:"execution_results" jsonschema:"One for each executed cell, in order."`
	CellIDs        []string          `json:"cell_ids" jsonschema:"The executed cells, in order."`
}

// executeNbCells makes execute_nb_cells.
func executeNbCells(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "execute_nb_cells",
		Title:       "Run notebook cells",
		Description: "Runs code cells as they are, in the order given, in the kernel that the notebook shares with people's tabs, starting one if needed. Cells that exceed timeout keep running. After a failed cell the rest are not run.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      tool.DocumentResultOf[ExecuteResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args executeArgs) (*tool.Answer, error) {
			cells, err := target.CellsOf(args.Ranges, target.ViewToRun(ctx, doc))
			if err != nil {
				return nil, err
			}
			out := ExecuteResult{ExecutedRanges: len(args.Ranges), Results: []ExecutionResult{}, CellIDs: codeAmong(cells)}
			out.ExecutedCells = len(out.CellIDs)
			a := &tool.Answer{Body: &out, Doc: doc, Words: target.CellWords(ctx, doc, out.words)}
			if len(out.CellIDs) == 0 {
				out.Message = fmt.Sprintf("Nothing was executed: none of the %s is a code cell", textfmt.Plural(len(cells), "cell"))
				return a, nil
			}
			ran, err := runCells(ctx, d, doc, out.CellIDs, args.RunOptions)
			if err != nil {
				return nil, err
			}
			if done := ran.afterwards(""); done == "" {
				out.Message = "Successfully executed " + textfmt.Plural(len(args.Ranges), "cell range")
			} else {
				out.Message = "Executed " + textfmt.Plural(len(args.Ranges), "cell range") + done
			}
			a.Words = target.CellWords(ctx, doc, out.words) // the cells may have moved meanwhile
			return a, ran.into(a, func(r []ExecutionResult) { out.Results = r })
		}),
	}
}

type codeArgs struct {
	target.InNotebook
	Code string `json:"code" validate:"min=1,max=source"`
	RunOptions
}

// A CodeResult is the answer of run_code.
type CodeResult struct {
	ExecutionResult
	Sets []string `json:"sets,omitempty" jsonschema:"Names that the code defines in the kernel."`
}

// runCode makes run_code.
func runCode(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "run_code",
		Title:       "Run code without a cell",
		Toolset:     tool.ToolsetCore,
		Description: "Runs code in the kernel of a notebook, with its variables, and leaves no cell: to look at values, or try something. Code that exceeds timeout keeps running.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      tool.DocumentResultOf[CodeResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args codeArgs) (*tool.Answer, error) {
			r, err := StartIn(ctx, d, doc, args.Code)
			if err != nil {
				return nil, err
			}
			hold := args.hold(ctx, d)
			wait, cancel := context.WithTimeout(ctx, hold)
			defer cancel()
			waiting.Await(ctx, wait, []*run.Run{r})
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("the call was cancelled; %s: %w", Abandon(ctx, []*run.Run{r}, args.InterruptOnCancel), err)
			}
			ran := finished{size: args.Size(), timeout: hold}
			ran.addOutcome(ctx, d, d.OutcomeOfCode(ctx, r, args.Code))
			out := CodeResult{}
			if language := doc.Kernel().Language(); ran.runs[0].State == run.Done && (language == "" || language == "python") {
				out.Sets = outline.Defines(args.Code)
			}
			a := &tool.Answer{Body: &out, Doc: doc, Words: tool.Words(ctx, out.words)}
			return a, ran.into(a, func(r []ExecutionResult) { out.ExecutionResult = r[0] })
		}),
	}
}

// StartIn runs code in a notebook's kernel without a cell. If a call stops waiting, it continues as a run.
func StartIn(ctx context.Context, d *deps.Deps, doc *session.Document, code string) (*run.Run, error) {
	if err := session.MayTouch(ctx, doc, "run", nil); err != nil {
		return nil, err
	}
	k, err := doc.Kernel().Start(ctx)
	if err != nil {
		return nil, err
	}
	r, err := StartCode(ctx, d, k.ID, code)
	if err != nil {
		return nil, err
	}
	if err := session.MayTouch(ctx, doc, "run", nil); err != nil { // since then, a person has pressed Stop
		return nil, errors.Join(err, r.Cancel(ctx))
	}
	if doc.Hold() { // while the code runs, a person may press Stop
		d.Manager.Go(func(ctx context.Context) { defer doc.Release(); _ = r.Wait(ctx) })
	}
	return r, nil
}

// StartCode runs code in a kernel without a cell. No notebook shows the code or its outputs.
func StartCode(ctx context.Context, d *deps.Deps, kernel, code string) (*run.Run, error) {
	a, err := d.Analyses.Attach(ctx, tool.ClientOf(ctx), kernel)
	if err != nil {
		return nil, deps.AnalysisError(err)
	}
	if err := d.Manager.KernelsThere(ctx); err != nil {
		return nil, fmt.Errorf("nothing was run: %w", err)
	}
	r, err := a.Run(code, run.Options{Ask: waiting.Asker(ctx)})
	if err != nil {
		return nil, deps.AnalysisError(err)
	}
	return r, nil
}
